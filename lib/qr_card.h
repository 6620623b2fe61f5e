/* SPDX-License-Identifier: MIT */
/*
 * The card of a run as a text of QR_ALPHANUMERIC (lib/qr.h), and that text as a result again: the
 * run line, the summary lines and the end line, without rows (docs/format.md, "In a QR code").
 */
#ifndef LIB_QR_CARD_H
#define LIB_QR_CARD_H

#include <stdbool.h>
#include <stddef.h>

#define QR_CARD_TEXT 4297  /* bytes for any such text: qr_capacity(QR_VERSIONS) and a NUL */
#define QR_CARD_RUN  65536 /* bytes for any result that is read from one */

enum qr_card_part {
	QR_CARD_WHOLE,
	QR_CARD_RESOLVED, /* without the values that are not resolved */
};

/*
 * Writes the card of the first run in n bytes of result lines, with a NUL. Returns its length
 * without it; 0: it does not fit into `bytes`, or the run has no end line.
 */
size_t qr_card_write(const char *lines, size_t n, enum qr_card_part, char *out, size_t bytes);

/* Whether a text begins as such a text does, in whichever version. */
bool qr_card_is(const char *text, size_t n);
/*
 * Writes the lines of the result to out, and their length. White space behind the text is no part
 * of it. NULL, or what is wrong with the text.
 */
const char *qr_card_read(const char *text, size_t n, char *out, size_t bytes, size_t *length);

/* What both ends agree on. */
#define QR_CARD_HEAD    "ANECHOIC IMPORT --QR "
#define QR_CARD_VERSION "1"
#define QR_CARD_RECORD  ':' /* ends a record */
#define QR_CARD_FIELD   '/' /* between two fields of one */
#define QR_CARD_SAME    '$' /* a field: as in the record before */
#define QR_CARD_STEM    '+' /* in front of a name: the one before up to its last word */
#define QR_CARD_SHIFT   '*' /* from here on capital letters, or small ones again */
#define QR_CARD_ESCAPE  '%' /* two hexadecimal digits: a character that a QR code lacks */
#define QR_CARD_REASON  '%' /* in front of the reason why there is no value */
#define QR_CARD_STRING  192 /* bytes for any string, with its NUL */

/* Bytes of a name before its last word and the "_" there; 0: it has one word. */
size_t qr_card_stem(const char *name);
/* The numbers at the end of a summary's record. */
#define QR_CARD_MORE                                                                               \
	KEY_LOW, KEY_HIGH, KEY_RISE_10, KEY_RISE_50, KEY_RISE_90, KEY_FLOOR, KEY_DISTURBED_SHARE

#endif
