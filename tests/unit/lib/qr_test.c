/* SPDX-License-Identifier: MIT */
/* lib/qr against libqrcodegen: the same modules, of every version. */
#include <qrcodegen/qrcodegen.h>

#include "lib/qr.c"
#include "lib/math.h"
#include "tests/unit/test.h"

#define TEXT_MOST 4400

static struct qr q;
static char text[TEXT_MOST];

static void fill(uint64_t seed, size_t n)
{
	static const char alphabet[] = QR_ALPHANUMERIC;
	struct random r;

	random_seed(&r, seed);
	for (size_t i = 0; i < n; i++)
		text[i] = alphabet[random_below(&r, sizeof alphabet - 1)];
	text[n] = 0;
	text[n / 2] = 'A'; /* else a text of digits would take another mode there */
}

static void assert_same(size_t n)
{
	static uint8_t work[qrcodegen_BUFFER_LEN_MAX], theirs[qrcodegen_BUFFER_LEN_MAX];

	assert_true(qrcodegen_encodeText(text, work, theirs, qrcodegen_Ecc_LOW, 1, 40,
		qrcodegen_Mask_AUTO, false));
	assert_true(qr_encode(&q, text, n, QR_VERSIONS));
	if ((int)q.side != qrcodegen_getSize(theirs))
		fail_msg("%zu characters: %u modules, libqrcodegen has %d", n, q.side,
			qrcodegen_getSize(theirs));
	for (unsigned y = 0; y < q.side; y++)
		for (unsigned x = 0; x < q.side; x++)
			if (qr_dark(&q, x, y) != qrcodegen_getModule(theirs, (int)x, (int)y))
				fail_msg("version %u, mask %u: module %u, %u is %d", q.version,
					q.mask, x, y, qr_dark(&q, x, y));
}

/* The longest text of each version and, where the count of characters grows, the shortest, too. */
TEST(test_every_version)
{
	for (unsigned v = 1; v <= QR_VERSIONS; v++) {
		size_t most = qr_capacity(v), least = v > 1 ? qr_capacity(v - 1) + 1 : 1;
		bool grows = v == 1 || v == 10 || v == 27;

		fill(v, most - v % 2);
		assert_same(most - v % 2);
		assert_int_equal(q.version, v);
		if (!grows)
			continue;
		fill(v, least);
		assert_same(least);
		assert_int_equal(q.version, v);
	}
}

TEST(test_every_mask_is_chosen)
{
	unsigned seen = 0;

	for (uint64_t seed = 1; seed <= 100; seed++) {
		fill(seed, 1 + seed % 60);
		assert_same(1 + seed % 60);
		seen |= 1U << q.mask;
	}
	assert_int_equal(seen, 0xff);
}

TEST(test_refusals)
{
	size_t most = qr_capacity(QR_VERSIONS);

	assert_int_equal(most, 4296); /* ISO/IEC 18004, table 7 */
	fill(1, most + 1);
	assert_false(qr_encode(&q, text, most + 1, QR_VERSIONS));
	assert_true(qr_encode(&q, text, most, QR_VERSIONS));
	assert_false(qr_encode(&q, text, most, QR_VERSIONS - 1));
	assert_false(qr_encode(&q, "lower case", 10, QR_VERSIONS));
	assert_false(qr_encode(&q, "A", 2, QR_VERSIONS)); /* NUL is none of the alphabet */
	assert_false(qr_encode(&q, "AB\0", 3, QR_VERSIONS));
}
