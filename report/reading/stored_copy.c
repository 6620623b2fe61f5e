/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "lib/result_keys.h"
#include "lib/thin.h"
#include "report/allocate.h"
#include "report/reading/results.h"
#include "report/reading/stored_copy.h"

/* Room for a thinned run: its end line has more, and a short number may have more digits. */
#define THIN_BYTES(n) (2 * (n) + 1024)

/* The end line, to be freed; NULL where the text does not end with one. */
static json_t *end_line(const char *text, size_t n)
{
	size_t start = n ? n - 1 : 0;

	while (start && text[start - 1] != '\n')
		start--;
	return json_loadb(text + start, n - start, JSON_DECODE_INT_AS_REAL, NULL);
}

/* Whether thinning at some level, for that reason, makes the one of the other. */
static bool thins_to(const char *whole, size_t n, const char *why, const char *stored, size_t bytes)
{
	char *out = new_array(THIN_BYTES(n), 1);
	bool same = false;

	for (unsigned level = 0; level <= THIN_CARD && !same; level++)
		same = thin(whole, n, level, why, out, THIN_BYTES(n)) == bytes &&
			!memcmp(out, stored, bytes);
	free(out);
	return same;
}

const char *stored_copy_wrong(const char *whole, size_t n, const char *stored, size_t bytes)
{
	const char *wrong = NULL;

	if (n == bytes && !memcmp(whole, stored, n))
		return NULL;
	json_t *end = end_line(stored, bytes);
	const json_t *thinned = json_object_get(end, KEY_THINNED);
	if (!thinned)
		wrong = "it is not thinned, and differs";
	else if (!thins_to(whole, n, text_of(thinned, KEY_WHY), stored, bytes))
		wrong = "no thinning of the log's run gives it";
	json_decref(end);
	return wrong;
}
