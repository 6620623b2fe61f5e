/* SPDX-License-Identifier: MIT */
/*
 * The card of a run as a text of QR_ALPHANUMERIC (lib/qr.h), and that text as a result again: the
 * run line, the summary lines and the end line, without rows (docs/format.md, "In a QR code").
 */
#ifndef LIB_QR_CARD_H
#define LIB_QR_CARD_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/qr.h"

#define QR_CARD_TEXT 4297  /* bytes for any such text: qr_capacity(QR_VERSIONS) and a NUL */
#define QR_CARD_RUN  65536 /* bytes for any result that is read from such a text */

enum qr_card_part {
	QR_CARD_WHOLE,
	QR_CARD_SHOWN,    /* the values that the card shows, with six digits */
	QR_CARD_RESOLVED, /* and without the values that are not resolved */
};

/*
 * Write the card of the first run in n bytes of result lines, with a NUL. Returns its length
 * without it; 0: it does not fit into `bytes`, or the run has no end line.
 */
size_t qr_card_write(const char *lines, size_t n, enum qr_card_part, char *out, size_t bytes);

/*
 * Make a QR code of the card, at most of version CARD_CODE_VERSION, so that a photograph of a
 * screen is a result. Returns NULL, or why there is none. *left_out: the values that are not
 * resolved are not in it, because it would be too large.
 */
#define CARD_CODE_VERSION 33 /* with its quiet zone 157 modules: 3 pixels each on 480 lines */
const char *qr_of_card(struct qr *, const char *lines, size_t n, bool *left_out);

/* Returns true if a text begins as such a text does, in any version. */
bool qr_card_is(const char *text, size_t n);
/*
 * Write the lines of the result to out, and their length. White space after the text is ignored.
 * Returns NULL, or the error in the text.
 */
const char *qr_card_read(const char *text, size_t n, char *out, size_t bytes, size_t *length);

/* The beginning of such a text. */
#define QR_CARD_HEAD    "ANECHOIC IMPORT --QR "
#define QR_CARD_VERSION "1"
#define QR_CARD_RECORD  ':' /* ends a record */

#endif
