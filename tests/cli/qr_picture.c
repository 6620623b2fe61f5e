/* SPDX-License-Identifier: MIT */
/*
 * qr-picture DOT RESULT [DOT RESULT...] or DOT text:TEXT: a black picture (PGM, on standard output)
 * with the QR codes of results' cards, or of texts, beside each other; a module is DOT pixels.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/qr_card.h"

#define CODES_MOST 4
#define EDGE       16 /* pixels around */

struct qr_picture {
	struct qr code;
	unsigned dot, side; /* pixels */
};

static void code_of(struct qr *q, const char *what)
{
	static char lines[16 << 20];
	bool left_out;

	if (!strncmp(what, "text:", 5)) {
		if (!qr_encode(q, what + 5, strlen(what + 5), QR_VERSIONS))
			errx(1, "no code can hold: %s", what + 5);
		return;
	}
	FILE *in = fopen(what, "rb");
	if (!in)
		err(1, "%s", what);
	size_t n = fread(lines, 1, sizeof lines, in);
	const char *why = qr_of_card(q, lines, n, &left_out);
	fclose(in);
	if (why)
		errx(1, "%s: %s", what, why);
	fprintf(stderr, "version %u, %u modules each way%s\n", q->version, q->side,
		left_out ? ", only what is resolved" : "");
}

static int light(const struct qr_picture *p, unsigned x, unsigned y)
{
	if (x >= p->side || y >= p->side)
		return 0;
	unsigned i = x / p->dot - QR_QUIET, j = y / p->dot - QR_QUIET;

	return i < p->code.side && j < p->code.side && qr_dark(&p->code, i, j) ? 0 : 255;
}

int main(int argc, char **argv)
{
	static struct qr_picture pictures[CODES_MOST];
	unsigned n = 0, width = EDGE, height = 0;

	for (int i = 1; i + 1 < argc && n < CODES_MOST; i += 2, n++) {
		struct qr_picture *p = &pictures[n];

		code_of(&p->code, argv[i + 1]);
		p->dot = (unsigned)atoi(argv[i]);
		p->side = (p->code.side + 2 * QR_QUIET) * p->dot;
		width += p->side + EDGE;
		height = p->side > height ? p->side : height;
	}
	printf("P5 %u %u 255\n", width, height + 2 * EDGE);
	for (unsigned y = 0; y < height + 2 * EDGE; y++) {
		unsigned left = EDGE;

		for (unsigned x = 0, k = 0; x < width; x++) {
			if (k < n && x >= left + pictures[k].side) {
				left += pictures[k++].side + EDGE;
			}
			putchar(k < n && x >= left ? light(&pictures[k], x - left, y - EDGE) : 0);
		}
	}
	return 0;
}
