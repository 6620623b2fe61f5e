/* SPDX-License-Identifier: MIT */
/* The kernel stores variables and the Linux program reads them: both ends, over a directory. */
#include <unistd.h>

#include "linux/efivars.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/result/store.h"
#include "lib/pack.h"
#include "tests/unit/test.h"

static char dir[] = "/tmp/efivars-test-XXXXXX";

/* efivarfs: four bytes of attributes, then the data. */
static uint64_t set(const char *name, const void *data, size_t n)
{
	char path[160];

	snprintf(path, sizeof path, "%s/%s-" EFIVARS_GUID, dir, name);
	if (!n)
		return unlink(path) ? EFI_STATUS_NOT_FOUND : 0;
	FILE *out = fopen(path, "wb");
	assert_non_null(out);
	fwrite("\7\0\0\0", 1, 4, out);
	fwrite(data, 1, n, out);
	fclose(out);
	return 0;
}

static uint64_t get(const char *name, void *data, size_t *n)
{
	char path[160], attributes[4];

	snprintf(path, sizeof path, "%s/%s-" EFIVARS_GUID, dir, name);
	FILE *in = fopen(path, "rb");
	if (!in)
		return EFI_STATUS_NOT_FOUND;
	assert_int_equal(fread(attributes, 1, 4, in), 4);
	*n = fread(data, 1, *n, in);
	fclose(in);
	return 0;
}

static const struct storage calls = { .get = get, .set = set };
static char text[20000];

static void store(void)
{
	static char packed[32768];
	size_t bytes = pack_work(sizeof text);
	char *work = malloc(bytes);
	unsigned random = 1;

	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (char)(' ' + ((random = random * 1103515245 + 12345) >> 26));
	size_t n = pack(text, sizeof text, packed, sizeof packed, work, bytes);
	free(work);
	assert_true(n > 2 * STORED_RESULT_CHUNK); /* several chunks */
	assert_null(store_write(&calls, "x.ndjson", packed, n));
}

static const char *import(void)
{
	struct efivars vars;
	const char *why;
	char *what, *back;
	size_t n = 0;

	assert_int_equal(efivars_read(&vars, dir, &what), 0);
	back = efivars_unpack(&vars, &n, &why);
	if (back)
		assert_true(n == sizeof text && !memcmp(back, text, n));
	free(back);
	efivars_free(&vars);
	return why;
}

TEST(test_stored_by_the_kernel)
{
	store();
	assert_null(import());
}

TEST(test_damage)
{
	store();
	set("AnechoicResult01", "short", 5);
	assert_string_equal(import(), "a chunk has another size");
	set("AnechoicResult01", NULL, 0);
	assert_string_equal(import(), "a chunk is missing");
	set("AnechoicResult01", text, sizeof text);
	assert_string_equal(import(), "a chunk has another size");
	set("AnechoicResult01", text, STORED_RESULT_CHUNK);
	assert_string_equal(import(), "its checksum is wrong");
	set("AnechoicResult", text, 72);
	assert_string_equal(import(), "its header is damaged");
	set("AnechoicResult", text, 71);
	assert_string_equal(import(), "its header has another size");
	set("AnechoicResult", NULL, 0);
	assert_string_equal(import(), "chunks without their header: the writing was cut");
}

TEST(test_delete)
{
	struct efivars vars;
	const char *stays;
	char *what, foreign[160];

	store();
	snprintf(foreign, sizeof foreign, "%s/AnechoicResult-8be4df61-93ca-11d2-aa0d-00e098032b8c",
		dir);
	fclose(fopen(foreign, "wb")); /* another vendor's */
	assert_int_equal(efivars_read(&vars, dir, &what), 0);
	assert_true(vars.n > 3);
	assert_int_equal(efivars_delete(&vars, &stays), 0);
	efivars_free(&vars);
	assert_string_equal(import(), "no variable AnechoicResult: nothing is pending");
	assert_int_equal(unlink(foreign), 0);
}

BEFORE_ALL(make_dir)
{
	assert_non_null(mkdtemp(dir));
}

AFTER_ALL(remove_dir)
{
	assert_int_equal(rmdir(dir), 0);
}
