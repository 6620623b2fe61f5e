/* SPDX-License-Identifier: MIT */
#include "tests/kam/check.h"

int check_result(const char *ini, const char *result)
{
	(void)ini;
	(void)result;
	return 1;
}
