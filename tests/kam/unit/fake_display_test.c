/* SPDX-License-Identifier: MIT */
/* The display of layer b: its size, its pixels, and what drawing leaves in the caches. */
#include "tests/kam/image/fake_display.h"
#include "tests/kam/unit/insn_builder.h"
#include "tests/unit/test.h"

TEST(test_sizes)
{
	static const char *const bad[] = { "", "640", "640x", "0x480", "640x0", "640x480,",
		"8193x1", "640x480blt", "640x480,blt,", "x480" };
	struct display_request d;
	unsigned i;

	assert_true(display_parse("640x480", &d));
	assert_true(d.width == 640 && d.height == 480 && !d.blt);
	assert_true(display_parse("1280x800,blt", &d));
	assert_true(d.width == 1280 && d.height == 800 && d.blt);
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (display_parse(bad[i], &d))
			fail_msg("'%s' is taken as %ux%u", bad[i], d.width, d.height);
}

/* A write beside 640x480 pixels, whose lines are 704 apart; NULL: it hits. */
static const char *write_at(uint64_t offset, unsigned bytes)
{
	static struct full_system w;

	w = (struct full_system){ .display = display_new(640, 480) };
	assert_int_equal(w.display->pitch, 704);
	display_write(&w, offset, bytes, 0x1122334455667788);
	assert_true(w.pending_ns > 0);
	assert_true(w.output);
	if (!*w.wrong)
		assert_memory_equal((char *)w.display->pixels + offset,
			"\x88\x77\x66\x55\x44\x33\x22\x11", bytes);
	free(w.display->pixels);
	free(w.display);
	return *w.wrong ? w.wrong : NULL;
}

TEST(test_only_pixels_are_written)
{
	const uint64_t line = 4 * 704;

	assert_null(write_at(0, 4));
	assert_null(write_at(638 * 4, 8));
	assert_null(write_at(479 * line + 639 * 4, 4));
	assert_non_null(write_at(640 * 4, 4));
	assert_non_null(write_at(639 * 4, 8));
	assert_non_null(write_at(480 * line, 4));
}

TEST(test_dump)
{
	static const unsigned char want[] = "P6 3 2 255\n\x01\x02\x03"
					    "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"
					    "\x04\x05\x06";
	char path[] = "/tmp/fake-display-XXXXXX";
	unsigned char came[sizeof(want)] = { 0 };
	struct display *d = display_new(3, 2);
	int file = mkstemp(path);
	FILE *f = fdopen(file, "rb");

	assert_non_null(f);
	d->pixels[0] = 0x010203;
	d->pixels[d->pitch + 2] = 0xff040506;
	display_dump(d, path);
	assert_int_equal(fread(came, 1, sizeof(came), f), sizeof(want) - 1);
	assert_memory_equal(came, want, sizeof(want) - 1);
	fclose(f);
	remove(path);
	free(d->pixels);
	free(d);
}

/* Cycles of a load from a line that was loaded before. */
static uint64_t load_again(bool forgets)
{
	struct cpu c = test_cpu();
	struct model m;
	uint64_t start, done;

	model_init(&m, &c);
	load(&m, 1, 1, 4096);
	start = drain(&m);
	if (forgets)
		model_forget(&m);
	done = load(&m, 1, 1, 4096);
	model_free(&m);
	return done - start;
}

TEST(test_what_was_cached_is_forgotten)
{
	assert_true(load_again(false) < 20);
	assert_true(load_again(true) >= 200);
}
