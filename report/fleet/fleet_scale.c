/* SPDX-License-Identifier: MIT */
/* The scale on which a value is judged, and how far from the median no machine is named. */
#include <math.h>

#include "report/fleet/fleet_parts.h"

double fleet_scaled(const struct fleet_value *value, double number)
{
	return value->scale == FLEET_NOISE ? log1p(fmax(number, 0)) : number;
}

double fleet_unscaled(const struct fleet_value *value, double scaled)
{
	return value->scale == FLEET_NOISE ? expm1(fmax(scaled, 0)) : scaled;
}

double fleet_reach(const struct fleet *f, const struct fleet_column *c)
{
	const struct fleet_value *value = &f->values[c->value];
	double margin =
		value->scale == FLEET_NOISE ? log1p(f->margin) : f->margin * fabs(c->median);

	return fmax(c->limit * c->deviation, margin);
}
