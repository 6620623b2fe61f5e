/* SPDX-License-Identifier: MIT */
/* `anechoic fetch`: every result comes home once, also where it was killed; none is overwritten. */
#include "tests/unit/boot_world.h"

#include "lib/pack.h"
#include "lib/stored_result.h"
#include "linux/command_fetch.c"
#include "linux/boot/whole_file.h"
#include "linux/boot/send.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

#define OURS "-52b20cc6-8b4e-4a3f-9d1e-6f0c5b7a21e4"

static char err[REASON_BYTES], out[PATH_MAX], results[PATH_MAX];

BEFORE_EACH(renew)
{
	char path[PATH_MAX];

	world_renew();
	mkdir(path_of(path, esp_root, "EFI/anechoic"), 0700);
	mkdir(path_of(results, path, "results"), 0700);
	mkdir(path_of(out, world, "out"), 0700);
	put_file(results, "a.ndjson", "one\n", 4);
	put_file(results, "b.html", "two\n", 4);
}

static unsigned collect(void)
{
	unsigned n = 0;
	char *said;
	size_t bytes;
	FILE *say = open_memstream(&said, &bytes);

	int bad = collect_files(esp_root, out, say, &n, err);
	fclose(say);
	free(said);
	assert_int_equal(bad, 0);
	return n;
}

static void collect_or_die(void)
{
	unsigned n = 0;
	FILE *nowhere = fopen("/dev/null", "w");

	if (collect_files(esp_root, out, nowhere, &n, err))
		_exit(1);
}

static bool has(const char *folder, const char *name, const char *text)
{
	char path[PATH_MAX];

	return file_is(path_of(path, folder, name), text, strlen(text));
}

TEST(come_home)
{
	char path[PATH_MAX];

	put_file(out, "a.ndjson", "another\n", 8);
	assert_int_equal(collect(), 2);
	assert_true(has(out, "a.ndjson", "another\n"));
	assert_true(has(out, "a-2.ndjson", "one\n"));
	assert_true(has(out, "b.html", "two\n"));
	assert_int_equal(access(path_of(path, results, "a.ndjson"), F_OK), -1);
	assert_int_equal(collect(), 0);
	/* copied by a run that was killed before it deleted the original: not copied twice */
	put_file(results, "a.ndjson", "one\n", 4);
	assert_int_equal(collect(), 1);
	assert_int_equal(access(path_of(path, out, "a-3.ndjson"), F_OK), -1);
}

/* A link that somebody has put there, to a file that only root can write. */
TEST(links_are_not_followed)
{
	char path[PATH_MAX], victim[PATH_MAX];

	put_file(world, "victim", "precious\n", 9);
	path_of(victim, world, "victim");
	assert_int_equal(0, symlink(victim, path_of(path, out, "a.ndjson.new")));
	assert_int_equal(0, symlink(victim, path_of(path, out, "b.html")));
	assert_int_equal(2, collect());
	assert_true(has(world, "victim", "precious\n"));
	assert_true(has(out, "a.ndjson", "one\n") && has(out, "b-2.html", "two\n"));
}

TEST(killed)
{
	unsigned n = 1;

	while (killed_before(n++, collect_or_die)) {
		assert_true(has(results, "a.ndjson", "one\n") || has(out, "a.ndjson", "one\n"));
		assert_true(has(results, "b.html", "two\n") || has(out, "b.html", "two\n"));
		collect();
		assert_true(has(out, "a.ndjson", "one\n") && has(out, "b.html", "two\n"));
		renew();
	}
	assert_true(n > 8);
	assert_false(renamed_unflushed || went_on_unflushed);
}

TEST(cannot_be_written)
{
	unsigned n = 0;

	assert_int_equal(collect_files(esp_root, "/dev/null", stderr, &n, err), -1);
	assert_non_null(strstr(err, "/dev/null/a.ndjson"));
	assert_true(has(results, "a.ndjson", "one\n"));
	assert_int_equal(n, 0);
}

/* Texts about a whole result, a cut one, and data that is no result. */
TEST(told)
{
	struct fixture f;
	unsigned n = 0;
	char *said;
	size_t bytes;

	fixture_open(&f);
	fixture_run(&f, "bare", "");
	fflush(f.file);
	put_file(results, "c.ndjson", f.text, f.n);
	fixture_end(&f);
	fclose(f.file);
	put_file(results, "d.ndjson", f.text, f.n);
	free(f.text);
	FILE *say = open_memstream(&said, &bytes);
	assert_int_equal(collect_files(esp_root, out, say, &n, err), 0);
	fclose(say);
	assert_non_null(strstr(said, "/a.ndjson: 4 bytes, room unknown, cut, DAMAGED\n"));
	assert_non_null(strstr(said, "/b.html: 4 bytes\n"));
	assert_non_null(strstr(said, " bytes, room bare, cut, DAMAGED\n"));
	assert_non_null(strstr(said, " bytes, room bare, complete\n"));
	free(said);
}

/* A result that waits in variables, of that name. */
static void put_pending(const char *name)
{
	char packed[200], *work = malloc(pack_work(4));
	size_t n = pack("one\n", 4, packed, sizeof packed, work, pack_work(4));
	struct stored_result h = stored_result_header(name, packed, n);

	free(work);
	assert_true(n);
	put_variable("AnechoicResult00" OURS, packed, n);
	put_variable("AnechoicResult" OURS, &h, sizeof h);
}

static void pending_or_die(void)
{
	unsigned n = 0;
	FILE *nowhere = fopen("/dev/null", "w");

	if (collect_variables(efivars, out, nowhere, &n, err))
		_exit(1);
}

/* It comes home once, under its name, if that leads nowhere else; also where it was killed. */
TEST(pending)
{
	char path[PATH_MAX];
	unsigned n = 1;

	put_pending("../x.ndjson");
	pending_or_die();
	assert_true(has(out, "recovered-bare.ndjson", "one\n"));
	for (;; n++) {
		renew();
		put_pending("x.ndjson");
		bool killed = killed_before(n, pending_or_die);
		pending_or_die();
		assert_true(has(out, "x.ndjson", "one\n"));
		assert_int_equal(access(path_of(path, out, "x-2.ndjson"), F_OK), -1);
		assert_int_equal(access(path_of(path, efivars, "AnechoicResult00" OURS), F_OK), -1);
		if (!killed)
			break;
	}
	assert_true(n > 4);
}

/* A result that could not be copied waits for the next time. */
TEST(pending_cannot_be_written)
{
	unsigned n = 0;

	put_pending("x.ndjson");
	char *before = world_listed();
	assert_int_equal(collect_variables(efivars, "/dev/null", stderr, &n, err), -1);
	assert_non_null(strstr(err, "/dev/null/x.ndjson"));
	assert_int_equal(n, 0);
	char *after = world_listed();
	assert_string_equal(before, after);
	free(before);
	free(after);
}

/* Chunks without a header remain if deleting or writing a result was cut: they are no result. */
TEST(chunks_without_a_header)
{
	static const char ours[] = "AnechoicResult00" OURS, header[] = "AnechoicResult" OURS;
	char path[PATH_MAX];
	unsigned n = 0;

	put_variable(ours, "x", 1);
	assert_int_equal(collect_variables(efivars, out, stderr, &n, err), 0);
	assert_int_equal(access(path_of(path, efivars, ours), F_OK), -1);
	assert_int_equal(n, 0);
	put_variable(ours, "x", 1);
	put_variable(header, "x", 1);
	assert_int_equal(collect_variables(efivars, out, stderr, &n, err), -1);
	assert_non_null(strstr(err, "`anechoic boot store=clear`"));
	assert_int_equal(access(path_of(path, efivars, ours), F_OK), 0);
}

static const char *watch(const char *spcr, size_t n, const char *line)
{
	static char text[1000];
	FILE *to = fmemopen(text, sizeof text, "w");

	serial_watch_text(to, (const unsigned char *)spcr, n, line);
	fclose(to);
	for (const char *at = text; *at; at += strcspn(at, "\n") + 1)
		assert_true(strcspn(at, "\n") <= 80);
	return text;
}

TEST(serial_lines)
{
	char spcr[60] = { [40] = 1, [44] = (char)0xf8, [45] = 2 };

	assert_non_null(strstr(watch(spcr, sizeof spcr, "quiet\n"), "SPCR table: I/O port 2F8h."));
	spcr[40] = 0;
	assert_non_null(strstr(watch(spcr, sizeof spcr, ""), "SPCR table: memory at 2F8h."));
	assert_non_null(strstr(watch(spcr, 40, ""), "COM1, I/O port 3F8h"));
	assert_non_null(strstr(watch(NULL, 0, "a console=tty0 console=ttyS1,9600 b\n"),
		"Linux's console: ttyS1,9600.\n"));
	assert_non_null(strstr(watch(NULL, 0, "console=tty0"), "Linux has no console on a serial"));
}

BEFORE_ALL(world_open);
AFTER_ALL(world_close);
