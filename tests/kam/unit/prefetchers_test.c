/* SPDX-License-Identifier: MIT */
/* Prefetchers of the model against cycles computed by hand. */
#include "tests/kam/unit/insn_builder.h"
#include "tests/unit/test.h"

#define PAGE 4096ull

/* Cycles of a load by the instruction at `code`, when nothing else is under way. */
static uint64_t cost(struct model *m, uint64_t code, uint64_t address)
{
	struct insn i = { .address = code, .bytes = 3, .load_bytes = 8, .results = 2 };
	uint64_t start;

	model_idle(m, 1000);
	start = m->barrier;
	return run(m, i, address) - start;
}

/* The fourth load is the first that was foreseen; 1 is the walk of a page's first load. */
TEST(test_steps_of_a_load)
{
	struct cpu c = test_cpu();
	struct model m;

	c.ip_stride = 2048;
	model_init(&m, &c);
	assert_int_equal(cost(&m, 0x100, 0), 1 + 200);
	assert_int_equal(cost(&m, 0x100, 192), 200);
	assert_int_equal(cost(&m, 0x100, 384), 200);
	assert_int_equal(cost(&m, 0x240, 576 + 64), 200); /* another instruction */
	assert_int_equal(cost(&m, 0x100, 576), 4);
	assert_int_equal(cost(&m, 0x100, 768), 4);
	assert_int_equal(cost(&m, 0x100, 1024), 200); /* another step */
	assert_int_equal(cost(&m, 0x100, 1216), 200);
	assert_int_equal(cost(&m, 0x100, 1408), 200);
	assert_int_equal(cost(&m, 0x100, 1600), 4);
	model_free(&m);
}

/* Backward by 1 KiB, from one page to the next; too far for 1023 bytes. */
TEST(test_steps_and_pages)
{
	struct cpu c = test_cpu();
	struct model m;
	uint64_t k, at, far, crosses;

	for (k = 0; k < 3; k++) {
		c.ip_stride = k == 2 ? 1023 : 1024;
		c.ip_pages = k == 1;
		model_init(&m, &c);
		for (at = 3 * PAGE; at > 2 * PAGE; at -= 1024)
			cost(&m, 0x100, at);
		far = k == 2 ? 200 : 4;
		crosses = k == 1 ? 4 : 200;
		assert_int_equal(cost(&m, 0x100, 2 * PAGE), far);
		assert_int_equal(cost(&m, 0x100, 2 * PAGE - 1024), 1 + crosses);
		assert_int_equal(cost(&m, 0x100, 2 * PAGE - 2048), far);
		model_free(&m);
	}
}

TEST(test_steps_ahead)
{
	struct cpu c = test_cpu();
	struct model m;

	c.ip_stride = 64;
	c.ip_sure = 3;
	c.ip_ahead = 2;
	model_init(&m, &c);
	cost(&m, 0x100, 0);
	cost(&m, 0x100, 64);
	cost(&m, 0x100, 128);
	assert_int_equal(cost(&m, 0x100, 192), 200); /* the third step: 320 is asked for */
	assert_int_equal(cost(&m, 0x100, 256), 200);
	assert_int_equal(cost(&m, 0x100, 320), 4);
	model_free(&m);
}

/* Lines in order; from the third on, six lines ahead come to L2, up to the page's end or beyond. */
TEST(test_next_page)
{
	struct cpu c = test_cpu();
	struct model m;
	uint64_t k, line;

	c.stream = STREAM_ON;
	c.streams = 16;
	for (k = 0; k < 2; k++) {
		c.next_page = k;
		model_init(&m, &c);
		for (line = 0; line < 64; line++)
			assert_int_equal(cost(&m, 0x100, line * 64),
				line > 2 ? 14 : 200 + (line == 0));
		assert_int_equal(cost(&m, 0x100, 64 * 64), k ? 14 : 1 + 200);
		assert_int_equal(cost(&m, 0x100, 65 * 64), k ? 14 : 200);
		assert_int_equal(cost(&m, 0x100, 66 * 64), k ? 14 : 200);
		assert_int_equal(cost(&m, 0x100, 67 * 64), 14);
		model_free(&m);
	}
}

/* The other line of a pair comes to L2 with one from memory. */
TEST(test_pairs)
{
	struct cpu c = test_cpu();
	struct model m;

	c.adjacent = 1;
	model_init(&m, &c);
	assert_int_equal(cost(&m, 0x100, 64), 1 + 200);
	assert_int_equal(cost(&m, 0x100, 0), 14);
	assert_int_equal(cost(&m, 0x100, 128), 200);
	model_free(&m);
}
