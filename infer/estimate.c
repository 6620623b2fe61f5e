/* SPDX-License-Identifier: MIT */
#include "infer/infer.h"
#include "lib/math.h"

struct estimate not_resolved(const char *reason)
{
	return (struct estimate){
		.value = NOT_A_NUMBER, .low = NOT_A_NUMBER, .high = NOT_A_NUMBER, .reason = reason
	};
}

struct estimate resolved(double value, double low, double high, double confidence)
{
	return (struct estimate){
		.value = value, .low = low, .high = high, .confidence = confidence
	};
}
