/* SPDX-License-Identifier: MIT */
/* A QR code (lib/qr.h) on the framebuffer: black on white, with its quiet zone. */
#ifndef KERNEL_CONSOLE_QR_PAINT_H
#define KERNEL_CONSOLE_QR_PAINT_H

#include "kernel/machine.h"
#include "lib/qr.h"

#define QR_DOT_LEAST 2 /* pixels of a module that a photograph still shows */

/* Modules of its side with the quiet zone. */
unsigned qr_span(const struct qr *);
/* Pixels of a module if it is to fit into that many pixels; 0: less than QR_DOT_LEAST. */
unsigned qr_dot(const struct qr *, unsigned pixels);
/*
 * Paints it with its upper left corner, quiet zone included, at x, y: qr_span() * dot pixels each
 * way. What lies outside the framebuffer is left out. Nothing is read from the framebuffer.
 */
void qr_paint(const struct framebuffer *, const struct qr *, unsigned x, unsigned y, unsigned dot);

#endif
