/* SPDX-License-Identifier: MIT */
/*
 * Makes a QR code (ISO/IEC 18004, model 2) of a text in alphanumeric mode, with error correction
 * level L: a picture of a screen is blurred and skewed, but seldom has a hole, and the lower level
 * makes the modules larger (docs/format.md has the trials).
 */
#ifndef LIB_QR_H
#define LIB_QR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QR_VERSIONS      40
#define QR_SIDE(version) (17 + 4 * (version))
#define QR_SIDE_MOST     QR_SIDE(QR_VERSIONS)
#define QR_WORDS_MOST    3706 /* codewords of version 40, error correction included */
#define QR_QUIET         4    /* modules around a code that must be light */
#define QR_SQUARE_BYTES  ((QR_SIDE_MOST * QR_SIDE_MOST + 7) / 8)
#define QR_ALPHANUMERIC  "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"

struct qr {
	unsigned side; /* modules: QR_SIDE(version) */
	unsigned version, mask;
	uint8_t dark[QR_SQUARE_BYTES];  /* read by qr_dark */
	uint8_t fixed[QR_SQUARE_BYTES]; /* the modules that hold no data */
	uint8_t words[QR_WORDS_MOST];   /* in the order of their placing */
};

/*
 * Make the smallest code that holds n characters, all in QR_ALPHANUMERIC. Returns false if there is
 * another character, or if version `most` is too small.
 */
bool qr_encode(struct qr *, const char *text, size_t n, unsigned most);
/* Returns true if the module of column x, row y (from 0, below side) is dark. */
bool qr_dark(const struct qr *, unsigned x, unsigned y);

#endif
