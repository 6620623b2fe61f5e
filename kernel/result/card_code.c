/* SPDX-License-Identifier: MIT */
#include "kernel/result/card_code.h"

#include "lib/qr_card.h"

const char *qr_of_card(struct qr *q, const char *lines, size_t n, bool *left_out)
{
	static char text[QR_CARD_TEXT];

	for (enum qr_card_part part = QR_CARD_WHOLE; part <= QR_CARD_RESOLVED; part++) {
		size_t length = qr_card_write(lines, n, part, text, sizeof text);

		*left_out = part == QR_CARD_RESOLVED;
		if (length && qr_encode(q, text, length, CARD_CODE_VERSION))
			return NULL;
	}
	return n ? "it has no end, or more than a QR code holds" : "nothing was measured";
}
