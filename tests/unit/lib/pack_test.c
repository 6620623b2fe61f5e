/* SPDX-License-Identifier: MIT */
/* Packed data come back, and nothing else is unpacked. */
#include "lib/math.h"
#include "lib/pack.h"
#include "tests/unit/test.h"

#define MOST (4 << 20)

/* A text, packed; of noise, or of lines as alike as those of a result. */
static struct packed {
	char *text, *out;
	unsigned char *bytes;
	void *work;
	size_t text_bytes, work_bytes, n;
} p;

static void pack_text(size_t text_bytes, bool noise)
{
	struct random random;

	random_seed(&random, 7);
	p = (struct packed){ .text = malloc(text_bytes + 100), .out = malloc(text_bytes) };
	while (p.text_bytes < text_bytes)
		if (noise)
			p.text[p.text_bytes++] = (char)random_next(&random);
		else
			p.text_bytes += (size_t)sprintf(p.text + p.text_bytes,
				"{\"kind\":\"row\",\"variant\":\"pointer\",\"median\":%u,\"max\":%"
				"u}\n",
				(unsigned)random_below(&random, 100000),
				(unsigned)random_below(&random, 1000));
	p.text_bytes = text_bytes;
	p.work_bytes = pack_work(text_bytes);
	p.work = malloc(p.work_bytes);
	p.bytes = malloc(MOST);
	p.n = pack(p.text, text_bytes, p.bytes, MOST, p.work, p.work_bytes);
}

AFTER_EACH(drop)
{
	free(p.text);
	free(p.out);
	free(p.bytes);
	free(p.work);
	p = (struct packed){ 0 };
}

static void expect_back(void)
{
	assert_int_equal(unpack_length(p.bytes, p.n), p.text_bytes);
	assert_null(unpack(p.bytes, p.n, p.out, p.text_bytes));
	assert_memory_equal(p.out, p.text, p.text_bytes);
}

TEST(packed_comes_back)
{
	static const size_t sizes[] = { 300, 1000, 20000, 1200000 };

	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		pack_text(sizes[i], false);
		assert_true(p.n > 16 && p.n < sizes[i]);
		expect_back();
		assert_int_equal(pack(p.text, sizes[i], p.bytes, p.n - 1, p.work, p.work_bytes), 0);
		assert_int_equal(pack(p.text, sizes[i], p.bytes, MOST, p.work, p.work_bytes - 1),
			0);
		drop();
	}
}

/* Bytes without any pattern fill every one of the compressor's lists: the worst for its memory. */
TEST(noise_fits_into_the_work_memory)
{
	pack_text(2 << 20, true);
	assert_true(p.n > p.text_bytes);
	expect_back();
}

TEST(damage_is_found)
{
	pack_text(8000, false);
	unsigned char *exact = malloc(p.n); /* so that a read beyond is seen */

	for (size_t i = 0; i < p.n; i++) {
		memcpy(exact, p.bytes, p.n);
		exact[i] ^= 0x41;
		if (unpack_length(exact, p.n) && unpack_length(exact, p.n) <= p.text_bytes &&
			!unpack(exact, p.n, p.out, p.text_bytes))
			assert_memory_equal(p.out, p.text, p.text_bytes); /* unused bits */
	}
	memcpy(exact, p.bytes, p.n);
	for (size_t cut = 0; cut < p.n - 4; cut++)
		assert_non_null(unpack(exact, cut, p.out, p.text_bytes));
	assert_non_null(unpack(exact, p.n, p.out, p.text_bytes - 1));
	free(exact);
}
