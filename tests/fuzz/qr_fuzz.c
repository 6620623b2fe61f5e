/* SPDX-License-Identifier: MIT */
/*
 * The reader of a QR code's text. The first byte chooses: an even one is followed by the text as it
 * is; an odd one by its records only, which get their head and a right check sum. What is read must
 * be lines of a result, and must become a text that is read as the same lines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/crc32.h"
#include "lib/qr_card.h"
#include "tests/fuzz/fuzz.h"

#define TEXT_MOST 8192

static size_t seal(char *text, const uint8_t *records, size_t n)
{
	size_t used = (size_t)sprintf(text, QR_CARD_HEAD QR_CARD_VERSION "%c", QR_CARD_RECORD);

	memcpy(text + used, records, n);
	used += n;
	return used + (size_t)sprintf(text + used, "%08X", crc32_of(0, text, used));
}

/*
 * A result that was read, as a text, and read again. A value without a reason gets an empty one, so
 * that the second may be longer than the first: it has twice the room.
 */
static void again(const char *lines, size_t n)
{
	static char text[QR_CARD_RUN], second[2 * QR_CARD_RUN];
	size_t length, bytes = qr_card_write(lines, n, QR_CARD_WHOLE, text, sizeof text);

	if (!bytes)
		return;
	if (!qr_card_is(text, bytes) || qr_card_read(text, bytes, second, sizeof second, &length))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static char text[TEXT_MOST + 64], lines[QR_CARD_RUN];
	size_t length = 0;

	if (n < 1 || n > TEXT_MOST)
		return 0;
	if (*data & 1)
		n = seal(text, data + 1, n - 1);
	else
		memcpy(text, data + 1, --n);
	char *exact = malloc(n ? n : 1); /* of its own size: a read behind it is seen */

	if (!exact)
		abort();
	memcpy(exact, text, n);
	if (!qr_card_read(exact, n, lines, sizeof lines, &length)) {
		if (!length || length > sizeof lines || lines[length - 1] != '\n')
			abort();
		again(lines, length);
	}
	free(exact);
	return 0;
}
