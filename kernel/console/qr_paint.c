/* SPDX-License-Identifier: MIT */
#include "kernel/console/qr_paint.h"

unsigned qr_span(const struct qr *q)
{
	return q->side + 2 * QR_QUIET;
}

unsigned qr_dot(const struct qr *q, unsigned pixels)
{
	unsigned dot = pixels / qr_span(q);

	return dot < QR_DOT_LEAST ? 0 : dot;
}

/* The module at a place of the square with its quiet zone. */
static bool dark_at(const struct qr *q, unsigned x, unsigned y)
{
	return x - QR_QUIET < q->side && y - QR_QUIET < q->side &&
		qr_dark(q, x - QR_QUIET, y - QR_QUIET);
}

void qr_paint(const struct framebuffer *fb, const struct qr *q, unsigned x, unsigned y,
	unsigned dot)
{
	uint32_t light = fb->red | fb->green | fb->blue;

	for (unsigned j = 0; j < qr_span(q) * dot && y + j < fb->height; j++) {
		uint32_t *line = (uint32_t *)fb->span.base + (size_t)(y + j) * fb->pitch;

		if ((uint64_t)(y + j + 1) * fb->pitch * 4 > fb->span.bytes)
			return;
		for (unsigned i = 0; i < qr_span(q) * dot && x + i < fb->width; i++)
			line[x + i] = dark_at(q, i / dot, j / dot) ? 0 : light;
	}
}
