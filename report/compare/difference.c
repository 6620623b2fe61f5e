/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare/difference.h"
#include "report/reading/row_identity.h"

bool is_difference(const struct pooled *p)
{
	const struct row_data *row = p->row;

	for (size_t i = 0; i < p->nruns; i++)
		if (!(p->runs[i].median > 0))
			return true;
	return (!strcmp(row->probe, "tlb") && !strcmp(row->variant, "cost")) ||
		(!strcmp(row->probe, "clock") && !strncmp(row->variant, "div3-", 5));
}

/* The latency that a `cost` of `tlb` was taken from; NAN: the set does not have it. */
static double spread_latency(const struct set *set, const struct pooled *cost)
{
	json_t *like = json_copy(cost->row->json);

	json_object_set_new(like, "variant", json_string("spread"));
	char *identity = row_identity(like, false);
	const struct pooled *spread = set_find(set, identity);
	free(identity);
	json_decref(like);
	return spread ? spread->median : NAN;
}

double whole_of(const struct set *base, const struct pooled *of_base, const struct pooled *other)
{
	double larger = fmax(fabs(of_base->median), fabs(other->median)), spread = NAN;

	if (!strcmp(of_base->row->probe, "tlb"))
		spread = spread_latency(base, of_base);
	return spread > 0 ? spread : larger > 0 ? larger : 1;
}
