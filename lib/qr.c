/* SPDX-License-Identifier: MIT */
/*
 * First the codewords: the text as bits, and the error correction of Reed and Solomon. Then the
 * square: fixed patterns, codewords, and the mask that is easiest to read.
 */
#include <string.h>

#include "lib/qr.h"

#define MODE_ALPHANUMERIC 2
#define POLYNOMIAL        0x11d /* x^8 + x^4 + x^3 + x^2 + 1: ISO/IEC 18004, 7.5.2 */
#define CHECK_MOST        30    /* codewords of error correction of a block */

/* Values of level L, by version from 1: ISO/IEC 18004, table 9. */
static const uint8_t check_words[QR_VERSIONS] = { 7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26,
	30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
	30, 30, 30, 30 };
static const uint8_t blocks[QR_VERSIONS] = { 1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6,
	7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25 };

/* Codewords of a version, error correction included. */
static unsigned words_of(unsigned version)
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
	return words_of(version) - check_words[version - 1] * blocks[version - 1];
}

static unsigned count_bits(unsigned version)
{
	return version < 10 ? 9 : version < 27 ? 11 : 13;
}

/* Characters that a code of that version (1..QR_VERSIONS) holds. */
static size_t qr_capacity(unsigned version)
{
	unsigned bits = 8 * data_words(version) - 4 - count_bits(version);

	return bits / 11 * 2 + (bits % 11 >= 6);
}

struct qr_bits {
	uint8_t *words;
	unsigned used; /* bits */
};

static void put_bits(struct qr_bits *b, unsigned value, unsigned n)
{
	while (n--) {
		if (value >> n & 1)
			b->words[b->used / 8] |= 0x80 >> b->used % 8;
		b->used++;
	}
}

/* Two characters take 11 bits, a last single one 6. Returns false if one is not in the alphabet. */
static bool put_text(struct qr_bits *b, const char *text, size_t n)
{
	static const char alphabet[] = QR_ALPHANUMERIC;

	for (size_t i = 0; i < n; i += 2) {
		const char *first = strchr(alphabet, text[i]), *second = alphabet;

		if (i + 1 < n)
			second = strchr(alphabet, text[i + 1]);
		if (!first || !*first || !second || !*second)
			return false;
		if (i + 1 < n)
			put_bits(b, (unsigned)(45 * (first - alphabet) + (second - alphabet)), 11);
		else
			put_bits(b, (unsigned)(first - alphabet), 6);
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

/* Write the check words of a block: the remainder of its polynomial. */
static void append_checks(const uint8_t *block, unsigned n, const uint8_t *g, unsigned checks,
	uint8_t *out)
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

/* Cut the data into blocks, and interleave their words: all first words, all second words... */
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
		append_checks(data + start, bytes, g, checks, rest);
		for (unsigned i = 0; i < checks; i++)
			q->words[all + i * n + b] = rest[i];
		start += bytes;
	}
}

/* Fill the words for the version. Returns false if the mode lacks a character. */
static bool fill_words(struct qr *q, const char *text, size_t n)
{
	static uint8_t data[QR_WORDS_MOST];
	struct qr_bits b = { data, 0 };
	unsigned bytes = data_words(q->version);

	memset(data, 0, sizeof data);
	put_bits(&b, MODE_ALPHANUMERIC, 4);
	put_bits(&b, (unsigned)n, count_bits(q->version));
	if (!put_text(&b, text, n))
		return false;
	/*
	 * At most four 0 bits end the text, then 0 bits fill the byte; two pad bytes alternate in
	 * the rest.
	 */
	b.used = b.used + 4 < 8 * bytes ? b.used + 4 : 8 * bytes;
	b.used = (b.used + 7) / 8 * 8;
	for (unsigned pad = 0xec; b.used < 8 * bytes; pad ^= 0xec ^ 0x11)
		put_bits(&b, pad, 8);
	interleave(q, data);
	return true;
}

#define LEVEL_L       1 /* its code in the format information */
#define FORMAT_BITS   15
#define FORMAT_POLY   0x537
#define FORMAT_MASK   0x5412
#define VERSION_BITS  18
#define VERSION_POLY  0x1f25
#define VERSION_LEAST 7 /* smallest version that states its version */
#define MASKS         8
#define ALIGNS_MOST   7

static unsigned bit_of(const struct qr *q, unsigned x, unsigned y)
{
	return y * q->side + x;
}

bool qr_dark(const struct qr *q, unsigned x, unsigned y)
{
	unsigned at = bit_of(q, x, y);

	return q->dark[at / 8] >> at % 8 & 1;
}

static bool is_fixed(const struct qr *q, unsigned x, unsigned y)
{
	unsigned at = bit_of(q, x, y);

	return q->fixed[at / 8] >> at % 8 & 1;
}

static void set(struct qr *q, unsigned x, unsigned y, bool dark)
{
	unsigned at = bit_of(q, x, y);
	uint8_t bit = (uint8_t)(1 << at % 8);

	q->dark[at / 8] = (uint8_t)((q->dark[at / 8] & ~bit) | (dark ? bit : 0));
}

static void set_fixed(struct qr *q, unsigned x, unsigned y, bool dark)
{
	unsigned at = bit_of(q, x, y);

	set(q, x, y, dark);
	q->fixed[at / 8] |= (uint8_t)(1 << at % 8);
}

static unsigned distance(unsigned a, unsigned b)
{
	return a > b ? a - b : b - a;
}

/*
 * Draw squares within squares around a centre, out to `reach` modules, within the code. light: the
 * distances at which they are light, as bits.
 */
static void draw_squares(struct qr *q, unsigned cx, unsigned cy, unsigned reach, unsigned light)
{
	for (unsigned y = 0; y < q->side; y++)
		for (unsigned x = 0; x < q->side; x++) {
			unsigned dx = distance(x, cx), dy = distance(y, cy);
			unsigned d = dx > dy ? dx : dy;

			if (d <= reach)
				set_fixed(q, x, y, !(light >> d & 1));
		}
}

/*
 * Write the coordinates of the alignment patterns' centres; return how many. ISO/IEC 18004, annex
 * E.
 */
static unsigned align_at(unsigned version, unsigned at[ALIGNS_MOST])
{
	unsigned n = version / 7 + 2;
	unsigned step = version == 32 ? 26 : (version * 4 + n * 2 + 1) / (n * 2 - 2) * 2;

	if (version == 1)
		return 0;
	at[0] = 6;
	for (unsigned i = 1; i < n; i++)
		at[i] = 4 * version + 10 - (n - 1 - i) * step;
	return n;
}

static void draw_aligns(struct qr *q)
{
	unsigned at[ALIGNS_MOST], n = align_at(q->version, at);

	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < n; j++) {
			bool first_row = j == 0, last_row = j == n - 1;

			/* three corners have finders instead */
			if ((i == 0 && (first_row || last_row)) || (i == n - 1 && first_row))
				continue;
			draw_squares(q, at[i], at[j], 2, 1 << 1);
		}
}

/* `data`, followed by the remainder of its division by the polynomial. */
static unsigned with_remainder(unsigned data, unsigned bits, unsigned poly)
{
	unsigned top = 31 - (unsigned)__builtin_clz(poly), rest = data << top;

	for (unsigned i = bits; i-- > top;)
		if (rest >> i & 1)
			rest ^= poly << (i - top);
	return data << top | rest;
}

/* Draw the format information twice: around the upper left finder, and beside the other two. */
static void draw_format(struct qr *q, unsigned mask)
{
	unsigned bits = with_remainder(LEVEL_L << 3 | mask, FORMAT_BITS, FORMAT_POLY) ^ FORMAT_MASK;
	unsigned last = q->side - 1;

	for (unsigned i = 0; i < FORMAT_BITS; i++) {
		bool dark = bits >> i & 1;
		/* From the top, around the corner, to the left, leaving out the timing patterns. */
		unsigned y = i < 6 ? i : i < 8 ? i + 1 : 8;
		unsigned x = i < 8 ? 8 : i == 8 ? 7 : 14 - i;

		set_fixed(q, x, y, dark);
		if (i < 8)
			set_fixed(q, last - i, 8, dark);
		else
			set_fixed(q, 8, last - 14 + i, dark);
	}
	set_fixed(q, 8, last - 7, true);
}

static void draw_version(struct qr *q)
{
	unsigned bits = with_remainder(q->version, VERSION_BITS, VERSION_POLY);

	if (q->version < VERSION_LEAST)
		return;
	for (unsigned i = 0; i < VERSION_BITS; i++) {
		unsigned a = q->side - 11 + i % 3, b = i / 3;

		set_fixed(q, a, b, bits >> i & 1);
		set_fixed(q, b, a, bits >> i & 1);
	}
}

static void draw_fixed(struct qr *q)
{
	unsigned last = q->side - 1;

	for (unsigned i = 0; i < q->side; i++) {
		set_fixed(q, 6, i, i % 2 == 0);
		set_fixed(q, i, 6, i % 2 == 0);
	}
	draw_squares(q, 3, 3, 4, 1 << 2 | 1 << 4);
	draw_squares(q, last - 3, 3, 4, 1 << 2 | 1 << 4);
	draw_squares(q, 3, last - 3, 4, 1 << 2 | 1 << 4);
	draw_aligns(q);
	draw_format(q, 0);
	draw_version(q);
}

/* Place the words from the lower right corner, in columns of two modules, up and down in turn. */
static void draw_words(struct qr *q)
{
	unsigned n = 8 * words_of(q->version), i = 0;

	for (unsigned pair = 0; pair < (q->side - 1) / 2; pair++) {
		unsigned right = q->side - 1 - 2 * pair;

		right -= right <= 6; /* skip the column of the timing pattern */
		for (unsigned k = 0; k < 2 * q->side; k++) {
			unsigned x = right - k % 2;
			unsigned y = pair % 2 ? k / 2 : q->side - 1 - k / 2;

			if (is_fixed(q, x, y) || i >= n)
				continue;
			set(q, x, y, q->words[i / 8] >> (7 - i % 8) & 1);
			i++;
		}
	}
}

static bool mask_inverts(unsigned mask, unsigned x, unsigned y)
{
	switch (mask) {
	case 0:
		return (x + y) % 2 == 0;
	case 1:
		return y % 2 == 0;
	case 2:
		return x % 3 == 0;
	case 3:
		return (x + y) % 3 == 0;
	case 4:
		return (x / 3 + y / 2) % 2 == 0;
	case 5:
		return x * y % 2 + x * y % 3 == 0;
	case 6:
		return (x * y % 2 + x * y % 3) % 2 == 0;
	default:
		return ((x + y) % 2 + x * y % 3) % 2 == 0;
	}
}

static void apply_mask(struct qr *q, unsigned mask)
{
	for (unsigned y = 0; y < q->side; y++)
		for (unsigned x = 0; x < q->side; x++)
			if (!is_fixed(q, x, y) && mask_inverts(mask, x, y))
				set(q, x, y, !qr_dark(q, x, y));
}

/* The last seven runs of modules of one colour, the newest first. */
struct runs {
	unsigned length[7];
};

static void add_run(struct runs *r, unsigned length)
{
	memmove(r->length + 1, r->length, sizeof r->length - sizeof *r->length);
	r->length[0] = length;
}

/* The number of finder-like patterns: dark 1:1:3:1:1 with four times the light on a side. */
static unsigned like_finder(const struct runs *r)
{
	const unsigned *l = r->length;
	unsigned n = l[1];

	if (!n || l[2] != n || l[3] != 3 * n || l[4] != n || l[5] != n)
		return 0;
	return (l[0] >= 4 * n && l[6] >= n) + (l[6] >= 4 * n && l[0] >= n);
}

/* The penalty of a row, or a column: for runs of five and more, and for finder-like patterns. */
static unsigned line_penalty(const struct qr *q, unsigned line, bool column)
{
	struct runs r = { { 0 } };
	unsigned length = q->side, penalty = 0, seen = 0; /* the quiet zone before it is light */
	bool colour = false;

	for (unsigned i = 0; i < q->side; i++) {
		bool dark = column ? qr_dark(q, line, i) : qr_dark(q, i, line);

		if (dark != colour) {
			add_run(&r, length);
			if (!colour)
				penalty += 40 * like_finder(&r);
			colour = dark;
			length = seen = 0;
		}
		length++;
		penalty += ++seen == 5 ? 3 : seen > 5;
	}
	if (colour) {
		add_run(&r, length);
		length = 0;
	}
	add_run(&r, length + q->side);
	return penalty + 40 * like_finder(&r);
}

/* The penalty of a mask, ISO/IEC 18004, 7.8.3: a higher value is harder to read. */
static unsigned penalty(const struct qr *q)
{
	unsigned sum = 0, dark = 0, all = q->side * q->side;

	for (unsigned i = 0; i < q->side; i++)
		sum += line_penalty(q, i, false) + line_penalty(q, i, true);
	for (unsigned y = 0; y < q->side; y++)
		for (unsigned x = 0; x < q->side; x++) {
			bool d = qr_dark(q, x, y);

			dark += d;
			if (x && y && d == qr_dark(q, x - 1, y) && d == qr_dark(q, x, y - 1) &&
				d == qr_dark(q, x - 1, y - 1))
				sum += 3;
		}
	/* 10 for each 5 % by which the number of dark modules differs from half. */
	return sum + 10 * ((distance(20 * dark, 10 * all) + all - 1) / all - 1);
}

static void choose_mask(struct qr *q)
{
	unsigned best = 0, least = ~0U;

	for (unsigned mask = 0; mask < MASKS; mask++) {
		apply_mask(q, mask);
		draw_format(q, mask);
		unsigned p = penalty(q);

		if (p < least) {
			least = p;
			best = mask;
		}
		apply_mask(q, mask); /* applying it twice undoes it */
	}
	q->mask = best;
	apply_mask(q, best);
	draw_format(q, best);
}

bool qr_encode(struct qr *q, const char *text, size_t n, unsigned most)
{
	memset(q, 0, sizeof *q);
	q->version = 1;
	while (q->version <= most && qr_capacity(q->version) < n)
		q->version++;
	if (q->version > most || !fill_words(q, text, n))
		return false;
	q->side = QR_SIDE(q->version);
	draw_fixed(q);
	draw_words(q);
	choose_mask(q);
	return true;
}
