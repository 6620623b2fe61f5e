/* SPDX-License-Identifier: MIT */
/* The card of a run as a text for a QR code, and back: the same card. */
#include "engine/infer/card.h"
#include "lib/qr_card.h"
#include "lib/crc32.h"
#include "lib/result_line.h"
#include "lib/jsonl_write.h"
#include "lib/qr.h"
#include "lib/qr_card.h"
#include "lib/math.h"
#include "lib/text.h"
#include "linux/report/reading/results.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

static char code[QR_CARD_TEXT], out[QR_CARD_RUN];
static struct fixture f; /* a run */

/* The card of some lines, as it is printed. */
struct printed {
	char text[8192];
	size_t n;
};

static void take(void *to, const char *text, size_t n)
{
	struct printed *p = to;

	assert_true(p->n + n < sizeof p->text);
	memcpy(p->text + p->n, text, n);
	p->text[p->n += n] = 0;
}

static void print(struct printed *p, const char *lines, size_t n)
{
	static struct card card;
	const char *end = lines + n;

	card_begin(&card);
	while (lines < end) {
		const char *next = memchr(lines, '\n', (size_t)(end - lines));
		size_t bytes = next ? (size_t)(next + 1 - lines) : (size_t)(end - lines);

		card_read(&card, (struct line){ lines, bytes });
		lines += bytes;
	}
	p->n = 0;
	*p->text = 0;
	card_print(&card, NULL, take, p);
	card_print_all(&card, take, p);
}

static size_t read_back(size_t n)
{
	size_t length = 0;
	const char *why = qr_card_read(code, n, out, sizeof out, &length);

	if (why)
		fail_msg("%s: %s", why, code);
	return length;
}

/* A run with every kind of value that a card shows. */
static void fill(bool with_open)
{
	static const char run[] =
		",\"schema\":\"anechoic/2\",\"build\":\"v1.0-3-g07495db\",\"compiler\":\"gcc\","
		"\"cpu\":{\"vendor\":\"AuthenticAMD\",\"brand\":\"AMD EPYC 9654 96-Core "
		"(\\\"x\\\\y_z\\\")\",\"family\":25,\"model\":17,\"stepping\":1},\"cpus\":192,"
		"\"emulated\":true,\"hypervisor\":\"TCGTCGTCGTCG\",\"tsc_hz\":2445424161,"
		"\"may_be\":\"emulated\",\"tsc_source\":\"acpi_pm\",\"profile\":\"full\",\"time_"
		"utc\":\"20260101T000000Z\",\"siblings\":\"pause\",\"smbios\":{\"board\":\"X\","
		"\"memory_modules\":\"12 x 64 GiB DDR5-4800\",\"memory_limit_gbs\":460.8}";

	free(f.text);
	fixture_open(&f);
	f.room = "bare";
	fixture_line(&f, "run", "%s", run);
	fixture_line(&f, "row", ",\"probe\":\"latency\",\"median\":1");
	fixture_line(&f, "skip", ",\"probe\":\"mlp\",\"reason\":\"none\"");
#define SUMMARY(text) fixture_line(&f, "summary", "%s", text)
	SUMMARY(",\"name\":\"core_clock_hz\",\"value\":3.200273929e+09,\"unit\":\"Hz\","
		"\"low\":2.666612936e+09,\"high\":3.262915829e+09,\"claimed\":null,"
		"\"confidence\":0.664201");
	SUMMARY(",\"name\":\"l1d_bytes\",\"value\":32768,\"unit\":\"bytes\",\"low\":32768,"
		"\"high\":33280,\"rise_10\":33417.888944,\"rise_50\":36308.828583,"
		"\"rise_90\":58542.576044,\"claimed\":32768,\"agrees\":true,"
		"\"confidence\":0.994439,\"rests_on\":\"latency\",\"page_bytes\":2097152");
	SUMMARY(",\"name\":\"l1d_latency_ns\",\"value\":1.326105,\"unit\":\"ns\","
		"\"claimed\":null,\"confidence\":0.886901,\"floor\":1.1,"
		"\"disturbed_share\":0.412134");
	SUMMARY(",\"name\":\"l1d_latency_cycles\",\"value\":4.238703,\"unit\":\"cycles\","
		"\"claimed\":null,\"confidence\":0.886901");
	SUMMARY(",\"name\":\"l3_bytes\",\"value\":33554432,\"unit\":\"bytes\",\"low\":33554432,"
		"\"high\":34603008,\"claimed\":16777216,\"agrees\":false,\"confidence\":0.9");
	SUMMARY(",\"name\":\"read_bytes_per_cycle_l1\",\"value\":62.894,"
		"\"unit\":\"bytes/cycle\",\"claimed\":null,\"confidence\":1");
	SUMMARY(",\"name\":\"read_bytes_per_cycle_l2\",\"value\":2.5e-7,"
		"\"unit\":\"bytes/cycle\",\"claimed\":null,\"confidence\":0");
	if (with_open) {
		SUMMARY(",\"name\":\"stlb_entries\",\"value\":null,\"unit\":\"entries\","
			"\"claimed\":2048,\"confidence\":0,\"reason\":\"too few points\"");
		SUMMARY(",\"name\":\"window_instructions\",\"value\":null,\"unit\":"
			"\"instructions\",\"claimed\":null,\"confidence\":0,\"reason\":"
			"\"too few points\"");
		SUMMARY(",\"name\":\"l1d_ways\",\"value\":null,\"unit\":\"ways\",\"claimed\":8,"
			"\"confidence\":0,\"reason\":\"(a_B: 1/2%)\"");
	}
	SUMMARY(",\"name\":\"noise_longest_ns\",\"value\":57791858.874932,\"unit\":\"ns\","
		"\"claimed\":null,\"confidence\":1");
#undef SUMMARY
}

static void close_run(void)
{
	fixture_end(&f);
	fclose(f.file);
}

/* The whole run as a code; its bytes. */
static size_t write_code(enum qr_card_part part)
{
	fill(true);
	close_run();
	return qr_card_write(f.text, f.n, part, code, sizeof code);
}

AFTER_ALL(drop_run)
{
	free(f.text);
}

TEST(test_the_same_card)
{
	struct printed before, after;

	size_t n = write_code(QR_CARD_WHOLE);
	assert_true(n > 0);
	assert_int_equal(code[n], 0);
	assert_int_equal(strspn(code, QR_ALPHANUMERIC), n);
	size_t length = read_back(n);

	print(&before, f.text, f.n);
	print(&after, out, length);
	assert_true(strstr(before.text, "EMULATED") != NULL);
	assert_true(strstr(before.text, "DISAGREES") != NULL);
	assert_true(strstr(before.text, "? (a_B: 1/2%)") != NULL);
	assert_true(strstr(before.text, "(a thread beside it spun: ") != NULL);
	assert_true(strstr(before.text, "12 x 64 GiB DDR5-4800, at most 461 GB/s") != NULL);
	assert_string_equal(before.text, after.text);
}

/* A reader of results finds nothing wrong, and the counts say what is missing. */
TEST(test_it_is_a_result)
{
	struct results r;

	size_t length = read_back(write_code(QR_CARD_WHOLE));
	fixture_read_bytes(&r, "qr", out, length);
	assert_int_equal(r.problems.all, 2); /* the notes that it is shortened, and thinned */
	assert_false(r.problems.damage);
	assert_int_equal(r.nruns, 1);
	const json_t *head = r.runs[0].head, *end = r.runs[0].end;
	const json_t *thinned = json_object_get(end, "thinned");

	assert_string_equal(r.runs[0].room, "bare");
	assert_string_equal(text_of(head, "time_utc"), "20260101T000000Z");
	assert_string_equal(text_of(head, "tsc_source"), "acpi_pm");
	assert_string_equal(text_of(json_object_get(head, "cpu"), "brand"),
		"AMD EPYC 9654 96-Core (\"x\\y_z\")");
	assert_true(json_is_true(json_object_get(head, "emulated")));
	assert_string_equal(text_of(head, "may_be"), "emulated");
	assert_string_equal(text_of(end, "status"), "shortened");
	assert_string_equal(text_of(end, "why"), "1 rows left out to fit into a QR code");
	assert_int_equal(number_of(thinned, "rows"), 1);
	assert_int_equal(number_of(thinned, "skips"), 1);
	assert_int_equal(number_of(thinned, "summaries"), 0);
	const json_t *l1 = run_summary(&r.runs[0], VALUE_l1d_bytes);

	assert_int_equal(number_of(l1, "value"), 32768);
	assert_float_equal(number_of(l1, "rise_90"), 58542.57, 0);
	assert_float_equal(number_of(l1, "confidence"), 0.99, 1e-9);
	assert_string_equal(text_of(run_summary(&r.runs[0], VALUE_window_instructions), "reason"),
		"too few points");
	results_free(&r);
}

/* A run that thinning has shortened, or that did not end well, says so as before. */
TEST(test_the_end)
{
	struct results r;

	fill(false);
	fixture_line(&f, "end",
		",\"status\":\"faulted\",\"why\":\"#PF at 0x10\",\"rows\":1,\"summaries\":8,"
		"\"skips\":1,\"seconds\":2.5,\"thinned\":{\"rows\":20,\"skips\":0},"
		"\"crc_all\":\"%08x\"",
		f.crc_all);
	fflush(f.file);
	size_t length = read_back(qr_card_write(f.text, f.n, QR_CARD_WHOLE, code, sizeof code));
	fixture_read_bytes(&r, "qr", out, length);
	assert_string_equal(text_of(r.runs[0].end, "status"), "faulted");
	assert_string_equal(text_of(r.runs[0].end, "why"), "#PF at 0x10");
	assert_float_equal(number_of(r.runs[0].end, "seconds"), 2.5, 0);
	assert_int_equal(number_of(json_object_get(r.runs[0].end, "thinned"), "rows"), 21);
	results_free(&r);
	fclose(f.file);
}

/* Whatever rounds a number of a code to six digits or fewer gets those of the number itself. */
TEST(test_numbers_round_as_before)
{
	static const char *const formats[] = { "%.0f", "%.1f", "%.2f", "%.3f", "%.3g", "%.4g",
		"%.6g" };
	struct random r;

	random_seed(&r, 1);
	for (int i = 0; i < 2000; i++) {
		double shift = 1, value;
		char was[64], is[64], line[64];
		struct member m;

		for (uint64_t k = random_below(&r, 9); k--;)
			shift *= 10;
		value = (double)random_below(&r, 1000000) / shift; /* ends in a 5 now and then */
		value += (double)random_below(&r, 3) / 2e5 / shift;
		struct jsonl l;

		jsonl_begin(&l, line, sizeof line);
		jsonl_number(&l, "v", value);
		size_t bytes = jsonl_end(&l);

		assert_true(line_find((struct line){ line, bytes }, "v", &m));
		free(f.text);
		fixture_open(&f);
		fixture_line(&f, "summary", ",\"name\":\"a\",\"value\":%.*s,\"confidence\":1",
			(int)m.value_bytes, m.value);
		value = member_number(&m);
		close_run();
		size_t n = qr_card_write(f.text, f.n, QR_CARD_WHOLE, code, sizeof code);
		const char *at = strstr(code, ":A//");

		assert_true(n && at);
		m.value = at + 4;
		m.value_bytes = strcspn(at + 4, "/");
		for (size_t k = 0; k < 7; k++) {
			text_format(was, sizeof was, formats[k], value);
			text_format(is, sizeof is, formats[k], member_number(&m));
			if (strcspn(was, "e") <= 7 && strcmp(was, is))
				fail_msg("%.*s of %.12g: %s is %s, not %s", (int)m.value_bytes,
					m.value, value, formats[k], is, was);
		}
	}
}

TEST(test_only_what_is_resolved)
{
	size_t length = read_back(write_code(QR_CARD_RESOLVED));
	out[length] = 0;
	assert_null(strstr(out, "reason"));
	assert_non_null(strstr(out, "\"summaries\":3,\"why\""));
	assert_non_null(strstr(out, "noise_longest_ns"));
}

/*
 * The code has the rate of a stream's fastest form, like the card; the first two streams have two
 * rates.
 */
TEST(test_only_what_the_card_shows)
{
	static const char *const rates[] = { "read_bytes_per_cycle_l1", "read_roof_l1" };

	for (unsigned n = 1; n <= 2; n++) {

		fill(false);
		fixture_line(&f, "summary", ",\"name\":\"split_page_cycles\",\"value\":7");
		for (unsigned i = 0; i < n; i++)
			fixture_line(&f, "summary", ",\"name\":\"%s\",\"value\":63.123456789",
				rates[i]);
		close_run();
		size_t length =
			read_back(qr_card_write(f.text, f.n, QR_CARD_SHOWN, code, sizeof code));
		out[length] = 0;
		assert_null(strstr(out, "split_page_cycles"));
		assert_int_equal(!strstr(out, rates[0]), n == 2);
		assert_int_equal(!strstr(out, rates[1]), n == 1);
		assert_non_null(strstr(out, "63.1234"));
		assert_null(strstr(out, "63.12345"));
		assert_non_null(strstr(out,
			n == 2 ? "\"summaries\":4,\"why\"" : "\"summaries\":1,\"why\""));
	}
}

TEST(test_no_card)
{
	fill(true);
	fflush(f.file);
	assert_int_equal(qr_card_write(f.text, f.n, QR_CARD_WHOLE, code, sizeof code), 0);
	assert_int_equal(qr_card_write("", 0, QR_CARD_WHOLE, code, sizeof code), 0);
	assert_int_equal(qr_card_write("junk\n{\"kind\":", 13, QR_CARD_WHOLE, code, 400), 0);
	close_run();
	size_t n = qr_card_write(f.text, f.n, QR_CARD_WHOLE, code, sizeof code);
	for (size_t bytes = 1; bytes <= n; bytes++)
		assert_int_equal(qr_card_write(f.text, f.n, QR_CARD_WHOLE, code, bytes), 0);
	assert_int_equal(qr_card_write(f.text, f.n, QR_CARD_WHOLE, code, n + 1), n);
}

/* Read these records with their right checksum, like a crafted code. */
static const char *read_sealed(const char *records)
{
	char sealed[4096];
	size_t length = 0;
	int n = snprintf(sealed, sizeof sealed, "%s%s", QR_CARD_HEAD, records);

	n += snprintf(sealed + n, sizeof sealed - (size_t)n, "%08X",
		crc32_of(0, sealed, (size_t)n));
	const char *why = qr_card_read(sealed, (size_t)n, out, sizeof out, &length);
	if (!why)
		assert_true(length > 0 && out[length - 1] == '\n');
	return why;
}

TEST(test_what_is_wrong)
{
	static const char crafted[] = "its check sum is right, but not what it says";
	size_t length;

	assert_null(read_sealed("1:BARE:L1D-BYTES//1/1:COMPLETE/1:"));
	assert_null(read_sealed("1:BARE:COMPLETE:"));
	assert_string_equal(read_sealed("2:BARE:COMPLETE:"), "it is of another version");
	assert_string_equal(read_sealed("1:"), crafted);
	assert_string_equal(read_sealed("1:BARE:"), crafted);
	assert_string_equal(read_sealed("1:B%0AE:COMPLETE:"), crafted);
	assert_string_equal(read_sealed("1:B%G0E:COMPLETE:"), crafted);
	assert_string_equal(read_sealed("1:BARE:A/%4:COMPLETE:"), crafted);
	assert_string_equal(read_sealed("1:BARE:+A//1/1:COMPLETE:"), crafted);
	assert_string_equal(read_sealed("1:BARE:A//1X/1:COMPLETE:"), crafted);
	assert_string_equal(read_sealed("1:BARE:A//E5/1:COMPLETE:"), crafted);
	assert_string_equal(qr_card_read("HTTPS://EXAMPLE.ORG", 19, out, sizeof out, &length),
		"it is not the text of an anechoic code");
	assert_string_equal(qr_card_read("", 0, out, sizeof out, &length),
		"it is not the text of an anechoic code");
	assert_string_equal(qr_card_read(QR_CARD_HEAD "1:12", 25, out, sizeof out, &length),
		"it is cut");
}

/* Every cut and every other character is noticed; white space behind the text is none. */
TEST(test_damage)
{
	size_t length;

	size_t n = write_code(QR_CARD_WHOLE);
	for (size_t i = 0; i < n; i++)
		assert_non_null(qr_card_read(code, i, out, sizeof out, &length));
	for (size_t i = 0; i < n; i++) {
		code[i] ^= 1;
		assert_non_null(qr_card_read(code, n, out, sizeof out, &length));
		code[i] ^= 1;
	}
	memcpy(code + n, "\r\n", 2);
	read_back(n + 2);
	for (size_t bytes = 0; bytes < 1000; bytes++) /* memory for the result that is too small */
		assert_string_equal(qr_card_read(code, n, out, bytes, &length),
			"it is longer than any of this program");
}

/* The code itself: what does not fit whole is left out, and said. */
TEST(test_the_code)
{
	static struct qr q;
	bool left_out = true;

	fill(true);
	close_run();
	assert_null(qr_of_card(&q, f.text, f.n, &left_out));
	assert_false(left_out);
	assert_true(q.version > 10 && q.version <= CARD_CODE_VERSION);
	assert_non_null(qr_of_card(&q, f.text, f.n - 2000, &left_out));
	assert_string_equal(qr_of_card(&q, "", 0, &left_out), "nothing was measured");
	fill(true);
	for (int i = 0; i < 60; i++)
		fixture_line(&f, "summary",
			",\"name\":\"a%d\",\"value\":null,\"unit\":\"b\",\"confidence\":0,"
			"\"reason\":\"for the reason %d, which is not short at all\"",
			i, i);
	close_run();
	assert_null(qr_of_card(&q, f.text, f.n, &left_out));
	assert_true(left_out);
}
