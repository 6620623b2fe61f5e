/* SPDX-License-Identifier: MIT */
#include "kernel/config.h"
#include "lib/math.h"
#include "tests/unit/test.h"

/* "clock, latency ...": what there is instead of a name that is none. */
#define PROBE(name, what, sources, needs) ", " #name
static const char all_probes[] =
#include "probes/probes.inc"
	;
#undef PROBE

static struct config config;
static char said[40][CONFIG_LINE];
static unsigned lines_said;

static void say(const char *line)
{
	if (lines_said < 40)
		strcpy(said[lines_said], line);
	lines_said++;
}

/* Parses exact copies, so that the sanitizer sees a read beyond. */
static void parse_bytes(const void *file, size_t n, const void *words, size_t m)
{
	unsigned char *a = malloc(n + 1), *b = malloc(m + 1);
	struct text file_text = { .data = memcpy(a + 1, file, n), .bytes = n };
	struct text words_text = { .data = memcpy(b + 1, words, m), .bytes = m };

	lines_said = 0;
	config_parse(&config, &file_text, &words_text, say);
	free(a);
	free(b);
}

static void parse(const char *file, const char *words)
{
	parse_bytes(file, strlen(file), words, strlen(words));
}

TEST(file_forms)
{
	parse("\xef\xbb\xbfprofile = smoke\r\n# comment\r\n\r\n\tpage=2m # why\r\nseed =  7", "");
	assert_int_equal(lines_said, 0);
	assert_int_equal(config.options.profile, PROFILE_SMOKE);
	assert_int_equal(config.options.page, 2 << 20);
	assert_int_equal(config.options.seed, 7);
	parse("probes = clock,latency\nfinish=poweroff\nrooms=bare\nprobes=\n", "");
	assert_int_equal(lines_said, 0);
	assert_string_equal(config.options.probes, "");
	assert_int_equal(config.finish, FINISH_POWEROFF);
	assert_int_equal(config.rooms, ROOMS_BARE);
}

TEST(each_bad_line_is_told)
{
	static const struct {
		const char *line, *said;
	} bad[] = {
		{ "profil = smoke",
			"anechoic.cfg line 2: unknown key 'profil': did you mean 'profile'?" },
		{ "finsh=halt",
			"anechoic.cfg line 2: unknown key 'finsh': did you mean 'finish'?" },
		{ "profile = fast",
			"anechoic.cfg line 2: profile = 'fast': must be one of smoke, default, "
			"full" },
		{ "smoke", "anechoic.cfg line 2: 'smoke': want key = value" },
		{ "probes = clock,nosuch",
			"anechoic.cfg line 2: probes = 'nosuch': no such probe; there are %s" },
		{ "probes = clock:rdtsc,,clock",
			"anechoic.cfg line 2: probes = '': no such probe; there are %s" },
		{ "= 3", "anechoic.cfg line 2: unknown key ''" },
		{ "code = 48 0",
			"anechoic.cfg line 2: code '48 0': must be bytes of two hexadecimal "
			"digits: 48 0f af c0" },
		{ "code_init = 90", "code_init and code_loop: there is no code that they are for" },
		{ "seed = x\x01y", "anechoic.cfg line 2: not text" },
		{ "provok = pf",
			"anechoic.cfg line 2: unknown key 'provok'" }, /* hidden: not told */
	};

	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		char file[200] = "seed = 3\n";

		strcat(file, bad[i].line);
		strcat(file, "\npage = 4k\n");
		parse(file, "");
		assert_int_equal(lines_said, 1);
		char expected[CONFIG_LINE];

		snprintf(expected, sizeof expected, bad[i].said, all_probes + 2);
		assert_string_equal(said[0], expected);
		assert_int_equal(config.errors, 1);
		assert_string_equal(config.error[0], expected);
		assert_string_equal(config.options.probes, "");
		assert_int_equal(config.options.profile, PROFILE_DEFAULT);
		assert_int_equal(config.options.seed, 3);
		assert_int_equal(config.options.page, 4096);
	}
}

TEST(code_is_measured_alone)
{
	parse("code = 48 0f af c0 # imul\ncode_unroll = 7", "code_loop=3 code_init=90,90");
	assert_int_equal(lines_said, 0);
	assert_string_equal(config.options.code, "48 0f af c0");
	assert_string_equal(config.options.code_init, "90,90");
	assert_int_equal(config.options.code_unroll, 7);
	assert_int_equal(config.options.code_loop, 3);
	assert_string_equal(config.options.probes, "code");
	parse("code = 90\nprobes = clock", "");
	assert_string_equal(config.options.probes, "clock");
}

TEST(long_and_many_lines)
{
	char file[20000] = "";

	memset(file, 'x', 600);
	strcpy(file + 600, "\nseed = 9\n");
	parse(file, "");
	assert_string_equal(said[0], "anechoic.cfg line 1: longer than 500 characters");
	assert_int_equal(config.options.seed, 9);
	file[0] = 0;
	for (unsigned i = 0; i < 100; i++)
		strcat(file, "bad\n");
	parse(file, "");
	assert_int_equal(config.errors, 100);
	assert_int_equal(lines_said, CONFIG_ERRORS + 1);
	assert_string_equal(said[CONFIG_ERRORS], "and 92 more such lines");
}

TEST(load_options)
{
	parse("profile=full", "anechoic.efi profile=smoke  seed=5");
	assert_int_equal(lines_said, 0);
	assert_int_equal(config.options.profile, PROFILE_SMOKE);
	assert_int_equal(config.options.seed, 5);
	parse("", "root=/dev/sdb3 init=/sbin/init rootwait ro profile=smoke");
	assert_int_equal(config.errors, 0);
	assert_int_equal(lines_said, 4);
	assert_string_equal(said[0], "load options: 'root' ignored: no such key");
	assert_string_equal(said[2], "load options: 'rootwait' ignored: no such key");
	assert_int_equal(config.options.profile, PROFILE_SMOKE);
	parse("", "profile=fast");
	assert_int_equal(config.errors, 1);
	assert_string_equal(said[0],
		"load options: profile = 'fast': must be one of smoke, default, full");
	parse("", "x\x02y profile=smoke");
	assert_string_equal(said[0], "load options: not text");
	assert_int_equal(config.options.profile, PROFILE_DEFAULT);
}

TEST(unreadable_and_absent)
{
	struct text none = { .absent = "no file \\anechoic.cfg" };
	struct text bad = { .absent = "\\anechoic.cfg is larger than 64 KiB", .bad = true };

	lines_said = 0;
	config_parse(&config, &none, &none, say);
	assert_int_equal(lines_said, 0);
	assert_int_equal(config.rooms, ROOMS_BOTH);
	config_parse(&config, &bad, &none, say);
	assert_string_equal(config.error[0],
		"\\anechoic.cfg is larger than 64 KiB: the defaults are used");
}

TEST(junk_does_no_harm)
{
	static unsigned char junk[3000];
	struct random random;

	random_seed(&random, 3);
	for (unsigned round = 0; round < 300; round++) {
		for (unsigned i = 0; i < sizeof junk; i++)
			junk[i] = (unsigned char)random_next(&random);
		for (unsigned i = 0; i < 40; i++)
			junk[random_below(&random, sizeof junk)] = "=\n#\r\t "[i % 6];
		parse_bytes(junk, sizeof junk, junk, round);
		assert_int_equal(config.options.seed, 1);
	}
}

/* A file in UTF-16, as some editors save it, is named in one line, and nothing of it is used. */
TEST(utf_16_is_named)
{
	parse("\xef\xbb", ""); /* two bytes of a byte order mark of three */
	assert_int_equal(lines_said, 1);
	static const char *const files[] = { "\xff\xfes\0e\0e\0d\0=\0005\0\n\0",
		"\xfe\xff\0s\0e\0e\0d\0=\0005\0\n" };

	for (unsigned i = 0; i < 2; i++) {
		parse_bytes(files[i], 16, "", 0);
		assert_int_equal(lines_said, 1);
		assert_string_equal(said[0],
			"anechoic.cfg is UTF-16: save it as UTF-8; the defaults are used");
		assert_int_equal(config.options.seed, 1);
	}
}

/* Text of the command line, and what the machine makes of it. */
static void fit(const char *words, const struct machine *m)
{
	parse("", words);
	config_fit(&config, m, say);
}

TEST(without_a_firmware_room_bare_alone)
{
	static const struct machine none = { .no_firmware = true }, one = { 0 };

	fit("rooms=both", &none);
	assert_int_equal(config.rooms, ROOMS_BARE);
	assert_int_equal(lines_said, 1);
	assert_int_equal(config.errors, 0);
	fit("rooms=bare", &none);
	assert_int_equal(lines_said, 0);
	fit("rooms=both", &one);
	assert_int_equal(config.rooms, ROOMS_BOTH);
}

/* A db key signs the image and not its configuration, which anybody can write. */
TEST(secure_boot_refuses_code)
{
	static const struct machine safe = { .secure_boot = true }, open = { 0 };
	static const char *const refused[] = { "code=90", "code=90 code_init=90",
		"code=90 code_loop=3", "code=90 probes=code", "smi_ask=7" };

	for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++) {
		fit(refused[i], &safe);
		assert_int_equal(lines_said, 1);
		assert_non_null(strstr(said[0], "Secure Boot is on"));
		assert_int_equal(config.errors, 1); /* the run line has it */
		assert_string_equal(config.options.code, "");
		assert_string_equal(config.options.code_init, "");
		assert_int_equal(config.options.code_loop + config.smi_ask, 0);
		assert_string_equal(config.options.probes, "");
		fit(refused[i], &open);
		assert_int_equal(lines_said, 0);
		assert_true(config.options.code[0] || config.smi_ask);
	}
	fit("code=90 probes=clock", &safe);
	assert_string_equal(config.options.probes, "clock");
	fit("seed=7 clock=fixed", &safe);
	assert_int_equal(lines_said, 0);
}

/* PCR 4 has each program that was started since the reset (TCG, PC Client, 2.3.4.5). */
TEST(after_a_tpm_has_measured_this_start_a_reset_follows)
{
	static const struct {
		struct machine m;
		const char *words;
		enum finish then;
		unsigned said;
	} rows[] = { { { .has_tpm = false }, "", FINISH_FIRMWARE, 0 },
		{ { .others_come_first = true }, "", FINISH_FIRMWARE, 0 },
		{ { .has_tpm = true, .others_come_first = true }, "", FINISH_RESET, 0 },
		{ { .has_tpm = true }, "", FINISH_FIRMWARE, 2 }, /* a reset would start it again */
		{ { .has_tpm = true, .others_come_first = true }, "finish=firmware",
			FINISH_FIRMWARE, 2 },
		{ { .has_tpm = true }, "finish=poweroff", FINISH_POWEROFF, 0 } };

	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		fit(rows[i].words, &rows[i].m);
		assert_int_equal(config.finish, rows[i].then);
		assert_int_equal(lines_said, rows[i].said);
	}
}
