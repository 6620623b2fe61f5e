/* SPDX-License-Identifier: MIT */
/* The codewords of a QR code: the text as bits, and the error correction of Reed and Solomon. */
#include <string.h>

#include "lib/qr.h"

#define MODE_ALPHANUMERIC 2
#define POLYNOMIAL        0x11d /* x^8 + x^4 + x^3 + x^2 + 1: ISO/IEC 18004, 7.5.2 */
#define CHECK_MOST        30    /* codewords of error correction of a block */

/* Of level L, by version from 1: ISO/IEC 18004, table 9. */
static const uint8_t check_words[QR_VERSIONS] = { 7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26,
	30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
	30, 30, 30, 30 };
static const uint8_t blocks[QR_VERSIONS] = { 1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6,
	7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25 };

unsigned qr_words(unsigned version)
{
	unsigned modules = (16 * version + 128) * version + 64;

	if (version >= 2) {
		unsigned aligns = version / 7 + 2;

		modules -= (25 * aligns - 10) * aligns - 55;
	}
	if (version >= 7)
		modules -= 36;
	return modules / 8;
}

static unsigned data_words(unsigned version)
{
	return qr_words(version) - check_words[version - 1] * blocks[version - 1];
}

static unsigned count_bits(unsigned version)
{
	return version < 10 ? 9 : version < 27 ? 11 : 13;
}

size_t qr_capacity(unsigned version)
{
	unsigned bits = 8 * data_words(version) - 4 - count_bits(version);

	return bits / 11 * 2 + (bits % 11 >= 6);
}

struct bits {
	uint8_t *words;
	unsigned used; /* bits */
};

static void put(struct bits *b, unsigned value, unsigned n)
{
	while (n--) {
		if (value >> n & 1)
			b->words[b->used / 8] |= 0x80 >> b->used % 8;
		b->used++;
	}
}

/* Two characters take 11 bits, a last one 6. false: one is not of the alphabet. */
static bool put_text(struct bits *b, const char *text, size_t n)
{
	static const char alphabet[] = QR_ALPHANUMERIC;

	for (size_t i = 0; i < n; i += 2) {
		const char *first = strchr(alphabet, text[i]), *second = alphabet;

		if (i + 1 < n)
			second = strchr(alphabet, text[i + 1]);
		if (!first || !*first || !second || !*second)
			return false;
		if (i + 1 < n)
			put(b, (unsigned)(45 * (first - alphabet) + (second - alphabet)), 11);
		else
			put(b, (unsigned)(first - alphabet), 6);
	}
	return true;
}

static uint8_t multiply(uint8_t a, uint8_t b)
{
	unsigned product = 0;

	for (int i = 7; i >= 0; i--) {
		product = product << 1 ^ (product >> 7) * POLYNOMIAL;
		product ^= (b >> i & 1U) * a;
	}
	return (uint8_t)product;
}

/* The generator polynomial of n check words, without its first coefficient, which is 1. */
static void generator(uint8_t *g, unsigned n)
{
	uint8_t root = 1;

	memset(g, 0, n);
	g[n - 1] = 1;
	for (unsigned i = 0; i < n; i++) {
		for (unsigned j = 0; j < n; j++)
			g[j] = multiply(g[j], root) ^ (j + 1 < n ? g[j + 1] : 0);
		root = multiply(root, 2);
	}
}

/* The check words of a block: the remainder of its polynomial. */
static void check(const uint8_t *block, unsigned n, const uint8_t *g, unsigned checks, uint8_t *out)
{
	memset(out, 0, checks);
	for (unsigned i = 0; i < n; i++) {
		uint8_t factor = block[i] ^ out[0];

		memmove(out, out + 1, checks - 1);
		out[checks - 1] = 0;
		for (unsigned j = 0; j < checks; j++)
			out[j] ^= multiply(g[j], factor);
	}
}

/* Cuts the data into blocks, and places their words in turn: all first ones, all second ones... */
static void interleave(struct qr *q, const uint8_t *data)
{
	unsigned checks = check_words[q->version - 1], n = blocks[q->version - 1];
	unsigned all = data_words(q->version), least = all / n, small = n - all % n, start = 0;
	uint8_t g[CHECK_MOST], rest[CHECK_MOST];

	generator(g, checks);
	for (unsigned b = 0; b < n; b++) {
		unsigned bytes = least + (b >= small);

		for (unsigned i = 0; i < bytes; i++)
			q->words[i < least ? i * n + b : least * n + b - small] = data[start + i];
		check(data + start, bytes, g, checks, rest);
		for (unsigned i = 0; i < checks; i++)
			q->words[all + i * n + b] = rest[i];
		start += bytes;
	}
}

bool qr_fill_words(struct qr *q, const char *text, size_t n)
{
	static uint8_t data[QR_WORDS_MOST];
	struct bits b = { data, 0 };
	unsigned bytes = data_words(q->version);

	memset(data, 0, sizeof data);
	put(&b, MODE_ALPHANUMERIC, 4);
	put(&b, (unsigned)n, count_bits(q->version));
	if (!put_text(&b, text, n))
		return false;
	/* at most four bits of 0 end it, and then the byte; the rest alternates */
	b.used = b.used + 4 < 8 * bytes ? b.used + 4 : 8 * bytes;
	b.used = (b.used + 7) / 8 * 8;
	for (unsigned pad = 0xec; b.used < 8 * bytes; pad ^= 0xec ^ 0x11)
		put(&b, pad, 8);
	interleave(q, data);
	return true;
}
