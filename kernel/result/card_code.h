/* SPDX-License-Identifier: MIT */
/* The card of a run as a QR code, so that a photograph of the screen is a result. */
#ifndef KERNEL_RESULT_CARD_CODE_H
#define KERNEL_RESULT_CARD_CODE_H

#include <stddef.h>

#include "lib/qr.h"

/*
 * Makes the code of the first run in n bytes of result lines (lib/qr_card.h), at most of version
 * CARD_CODE_VERSION. NULL, or why there is none. *left_out: values that are not in it, because
 * it would be too large: those that are not resolved.
 */
#define CARD_CODE_VERSION 33 /* with its quiet zone 157 modules: 3 pixels each on 480 lines */
const char *qr_of_card(struct qr *, const char *lines, size_t n, bool *left_out);

#endif
