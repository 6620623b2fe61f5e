/* SPDX-License-Identifier: MIT */
#include "lib/name_list.h"

#include <string.h>

size_t first_listed(const char *list)
{
	const char *comma = strchr(list, ',');

	return comma ? (size_t)(comma - list) : strlen(list);
}

bool listed(const char *list, const char *name)
{
	size_t n = strlen(name);

	while (*list) {
		size_t item = first_listed(list);
		if (item == n && !memcmp(list, name, n))
			return true;
		list += item + (list[item] == ',');
	}
	return false;
}
