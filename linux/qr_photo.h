/* SPDX-License-Identifier: MIT */
/*
 * The text of a card's QR code (lib/qr_card.h) out of a photograph or a screen dump. The program
 * zbarimg (Debian: zbar-tools) finds and reads the code, started as a child: it reads every picture
 * format, and who never imports a photograph needs none of its forty libraries. A file that has
 * the text itself in a line, as a telephone's scanner shows it or as a serial log has it, is read
 * without it; of several lines the last counts.
 */
#ifndef LINUX_QR_PHOTO_H
#define LINUX_QR_PHOTO_H

#include <stddef.h>

#define QR_PHOTO_ERROR 160

/* 0: *text, to be freed, has n bytes; else -1, and what is wrong in err. */
int qr_photo_read(const char *path, char **text, size_t *n, char err[QR_PHOTO_ERROR]);

#endif
