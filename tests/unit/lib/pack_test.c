/* SPDX-License-Identifier: MIT */
#include "lib/crc32.h"
#include "lib/jsonl_write.h"
#include "lib/result_line.h"
#include "lib/pack.h"
#include "lib/math.h"
#include "lib/thin.h"
#include "tests/unit/test.h"

#define TEXT (4 << 20)

struct run {
	char *text;
	size_t used;
	unsigned lines;
	char line[1 << 16];
	struct jsonl l;
};

static void begin(struct run *r, const char *kind)
{
	jsonl_begin(&r->l, r->line, sizeof r->line);
	jsonl_string(&r->l, "kind", kind);
	jsonl_string(&r->l, "room", "bare");
	jsonl_integer(&r->l, "seq", r->lines);
}

static void end(struct run *r)
{
	size_t n = jsonl_end(&r->l);

	assert_true(n > 0 && r->used + n <= TEXT);
	memcpy(r->text + r->used, r->line, n);
	r->used += n;
	r->lines++;
}

/* Of a row, from the smallest to the largest: each is to keep four digits. */
static const char *const numbers[] = { "mad", "placement_spread", "median", "samples", "disturbed",
	"cycles", "p10", "core_hz" };
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static double number(unsigned i)
{
	double value = -1.2345678e-4;

	while (i--)
		value *= -23.456;
	return value;
}

static void add_row(struct run *r, struct random *random, const char *variant, const char *level,
	unsigned samples)
{
	begin(r, "row");
	jsonl_string(&r->l, "probe", "latency");
	jsonl_string(&r->l, "variant", variant);
	if (level)
		jsonl_string(&r->l, "level", level);
	for (unsigned i = 0; i < NUMBERS; i++)
		jsonl_number(&r->l, numbers[i], number(i));
	jsonl_number(&r->l, "p90", (double)random_below(random, 100000) / 7);
	jsonl_number(&r->l, "mean", (double)random_below(random, 100000) / 7);
	jsonl_array(&r->l, "values");
	for (unsigned i = 0; i < samples; i++)
		jsonl_number(&r->l, NULL, (double)random_below(random, 1000) / 3);
	jsonl_array_end(&r->l);
	jsonl_array(&r->l, "flags");
	jsonl_integer(&r->l, NULL, 1);
	jsonl_array_end(&r->l);
	jsonl_object(&r->l, "more");
	jsonl_string(&r->l, "values", "a \"quoted\" ,\"crc\":\" trap");
	jsonl_object_end(&r->l);
	end(r);
}

static struct run *make_run(unsigned rows, unsigned samples)
{
	struct run *r = calloc(1, sizeof *r);
	struct random random;
	uint32_t crc_all;
	char crc[9];

	r->text = malloc(TEXT);
	random_seed(&random, 7);
	begin(r, "run");
	jsonl_string(&r->l, "schema", "anechoic/2");
	jsonl_string(&r->l, "compiler", "any");
	end(r);
	for (unsigned i = 0; i < rows; i++)
		add_row(r, &random, i < rows / 2 ? "pointer-padded" : "index", i == 5 ? "l1" : NULL,
			samples);
	begin(r, "skip");
	jsonl_string(&r->l, "reason", "no time");
	end(r);
	begin(r, "summary");
	jsonl_string(&r->l, "name", "l1d_bytes");
	jsonl_number(&r->l, "value", 32768);
	jsonl_string(&r->l, "rests_on", "rows");
	end(r);
	begin(r, "summary");
	jsonl_string(&r->l, "name", "l2_bytes");
	jsonl_string(&r->l, "reason", "not measured in this run");
	end(r);
	crc_all = crc32_of(0, r->text, r->used);
	begin(r, "end");
	jsonl_string(&r->l, "status", "complete");
	jsonl_integer(&r->l, "rows", rows);
	jsonl_integer(&r->l, "summaries", 2);
	jsonl_integer(&r->l, "skips", 1);
	jsonl_integer(&r->l, "lines", r->lines);
	jsonl_object(&r->l, "levels");
	jsonl_object_end(&r->l);
	jsonl_array(&r->l, "said");
	jsonl_string(&r->l, NULL, "a sentence");
	jsonl_array_end(&r->l);
	snprintf(crc, sizeof crc, "%08x", crc_all);
	jsonl_string(&r->l, "crc_all", crc);
	end(r);
	return r;
}

static void free_run(struct run *r)
{
	free(r->text);
	free(r);
}

static uint32_t hex_of(const struct member *m)
{
	return (uint32_t)strtoul(m->value + 1, NULL, 16);
}

static unsigned number_of(const char *line, size_t n, const char *key)
{
	struct member m;

	assert_true(line_find((struct line){ line, n }, key, &m));
	return (unsigned)strtoul(m.value, NULL, 10);
}

/* Checks every line's crc and number, the counts and crc_all; returns the rows. */
static unsigned check_run(const char *text, size_t n)
{
	const char *at = text, *stop = text + n;
	unsigned lines = 0, rows = 0, summaries = 0;
	struct member m;

	while (at < stop) {
		const char *line = at;

		at = (const char *)memchr(at, '\n', (size_t)(stop - at)) + 1;
		size_t length = (size_t)(at - line);
		assert_true(line_find((struct line){ line, length }, "crc", &m));
		assert_int_equal(hex_of(&m), crc32_of(0, line, (size_t)(m.key - 2 - line)));
		assert_int_equal(number_of(line, length, "seq"), lines);
		enum line_kind kind = line_kind((struct line){ line, length });
		rows += kind == LINE_ROW;
		summaries += kind == LINE_SUMMARY;
		if (kind == LINE_END) {
			assert_true(at == stop);
			assert_int_equal(number_of(line, length, "rows"), rows);
			assert_int_equal(number_of(line, length, "summaries"), summaries);
			assert_int_equal(number_of(line, length, "lines"), lines);
			assert_true(line_find((struct line){ line, length }, "crc_all", &m));
			assert_int_equal(hex_of(&m), crc32_of(0, text, (size_t)(line - text)));
		}
		lines++;
	}
	return rows;
}

static void check_numbers(const char *text, size_t n, unsigned level)
{
	const char *row = strstr(text, "{\"kind\":\"row\"");
	size_t length = (size_t)(strchr(row, '\n') - row);
	struct member m;

	assert_true(row && n);
	for (unsigned i = 0; i < NUMBERS; i++) {
		if (!line_find((struct line){ row, length }, numbers[i], &m)) {
			assert_true(level >= 4 && !strcmp(numbers[i], "p10"));
			continue;
		}
		double wrong = fabs(member_number(&m) / number(i) - 1);

		if (wrong > (level ? 5e-4 : 1e-6))
			fail_msg("level %u: %s is %.*s, was %.9g", level, numbers[i],
				(int)m.value_bytes, m.value, number(i));
		assert_true(!level || m.value_bytes <= 10);
	}
}

TEST(thinned_runs_stay_valid)
{
	/* 20 rows in two sweeps of 10, the sixth with a level: kept rows per level */
	static const unsigned rows[] = { 20, 20, 20, 20, 20, 11, 7, 5, 3, 3, 3, 1, 0 };
	struct run *r = make_run(20, 50);
	char *out = malloc(TEXT), gone[64];
	size_t last = r->used;

	for (unsigned level = 0; level <= THIN_CARD; level++) {
		size_t n = thin(r->text, r->used, level, "to fit", out, TEXT);

		assert_true(n > 0 && n < last);
		out[n] = 0;
		last = n + (level >= 8); /* levels may come out the same */
		assert_int_equal(check_run(out, n), rows[level]);
		assert_null(strstr(out, "\"values\":["));
		assert_null(strstr(out, "\"flags\":["));
		assert_true(strstr(out, "\"thinned\":{\"values\":true"));
		assert_int_equal(strstr(out, "\"more\":{") != NULL, level < 3);
		assert_int_equal(strstr(out, "\"said\":[\"a sentence") != NULL, level < 2);
		assert_int_equal(strstr(out, "\"said\":true") != NULL, level >= 2);
		assert_int_equal(strstr(out, "\"levels\":{") != NULL, level < 2);
		assert_int_equal(strstr(out, "\"mean\":") != NULL, level < 1);
		assert_int_equal(strstr(out, "\"p90\":") != NULL, level < 4);
		/* what lost rows is not complete, and says how many */
		assert_int_equal(strstr(out, "\"status\":\"complete\"") != NULL, rows[level] == 20);
		assert_int_equal(strstr(out, "\"status\":\"shortened\"") != NULL, rows[level] < 20);
		snprintf(gone, sizeof gone, "\"rows\":%u,\"skips\":%u,\"summaries\":%u",
			20 - rows[level], level >= 1, level == THIN_CARD);
		assert_non_null(strstr(out, gone));
		/* the card needs these and no more */
		assert_non_null(strstr(out, "\"value\":32768"));
		assert_int_equal(strstr(out, "rests_on") != NULL, level < THIN_CARD);
		assert_int_equal(strstr(out, "compiler") != NULL, level < THIN_CARD);
		if (rows[level])
			check_numbers(out, n, level);
	}
	free(out);
	free_run(r);
}

TEST(what_is_no_run_is_refused)
{
	struct run *r = make_run(4, 4);
	char *out = malloc(TEXT);

	assert_int_equal(thin(r->text, r->used - 10, 0, "", out, TEXT), 0);
	assert_int_equal(thin(r->text + 1, r->used - 1, 0, "", out, TEXT), 0);
	assert_int_equal(thin("junk\n", 5, 0, "", out, TEXT), 0);
	assert_int_equal(thin("", 0, 0, "", out, TEXT), 0);
	assert_int_equal(thin(r->text, r->used, 0, "", out, 300), 0);
	for (size_t i = 0; i < r->used; i += 3) { /* any damage: no overrun, no crash */
		char kept = r->text[i];

		r->text[i] = '}';
		thin(r->text, r->used, i % (THIN_CARD + 1), "", out, TEXT);
		r->text[i] = kept;
	}
	free(out);
	free_run(r);
}

TEST(packed_comes_back)
{
	static const unsigned sizes[][2] = { { 0, 0 }, { 1, 3 }, { 50, 10 }, { 300, 400 } };

	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct run *r = make_run(sizes[i][0], sizes[i][1]);
		size_t work_bytes = pack_work(r->used), n;
		void *work = malloc(work_bytes);
		unsigned char *packed = malloc(TEXT);
		char *out = malloc(r->used);

		n = pack(r->text, r->used, packed, TEXT, work, work_bytes);
		assert_true(n > 16 && n < r->used);
		assert_int_equal(unpack_length(packed, n), r->used);
		assert_null(unpack(packed, n, out, r->used));
		assert_memory_equal(out, r->text, r->used);
		assert_int_equal(pack(r->text, r->used, packed, n - 1, work, work_bytes), 0);
		assert_int_equal(pack(r->text, r->used, packed, TEXT, work, work_bytes - 1), 0);
		free(out);
		free(packed);
		free(work);
		free_run(r);
	}
}

/* Bytes without any pattern fill every one of the compressor's lists: the worst for its memory. */
TEST(noise_fits_into_the_work_memory)
{
	size_t n = 2 << 20, work_bytes = pack_work(n), got;
	char *text = malloc(n), *out = malloc(n);
	unsigned char *packed = malloc(2 * n);
	void *work = malloc(work_bytes);
	struct random random;

	random_seed(&random, 1);
	for (size_t i = 0; i < n; i++)
		text[i] = (char)random_next(&random);
	got = pack(text, n, packed, 2 * n, work, work_bytes);
	assert_true(got > n);
	assert_null(unpack(packed, got, out, n));
	assert_memory_equal(out, text, n);
	free(text);
	free(out);
	free(packed);
	free(work);
}

TEST(damage_is_found)
{
	struct run *r = make_run(10, 20);
	size_t work_bytes = pack_work(r->used), n;
	void *work = malloc(work_bytes);
	unsigned char *packed = malloc(TEXT);
	char *out = malloc(r->used);

	n = pack(r->text, r->used, packed, TEXT, work, work_bytes);
	unsigned char *exact = malloc(n); /* so that a read beyond is seen */
	for (size_t i = 0; i < n; i++) {
		memcpy(exact, packed, n);
		exact[i] ^= 0x41;
		if (unpack_length(exact, n) && unpack_length(exact, n) <= r->used &&
			!unpack(exact, n, out, r->used))
			assert_memory_equal(out, r->text, r->used); /* unused bits of the stream */
	}
	memcpy(exact, packed, n);
	for (size_t cut = 0; cut < n - 4; cut++)
		assert_non_null(unpack(exact, cut, out, r->used));
	assert_non_null(unpack(exact, n, out, r->used - 1));
	free(exact);
	free(out);
	free(packed);
	free(work);
	free_run(r);
}
