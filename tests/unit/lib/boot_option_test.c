/* SPDX-License-Identifier: MIT */
/* The boot options that start from this medium, and the one that is made for it. */
#include "lib/boot_option.h"
#include "tests/unit/test.h"

#define PCI_ROOT 2, 1, 12, 0, 0xd0, 0x41, 0x03, 0x0a, 0, 0, 0, 0
#define PCI(n)   1, 1, 6, 0, 0, n
#define USB(n)   3, 5, 6, 0, n, 0
#define DISK(n)  /* HD(1,GPT,...): partition, start, blocks, GUID, format, signature type */       \
	4, 1, 42, 0, 1, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, n, 2, 3, 4, 5, 6, \
		7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 2, 2
#define FILE_X 4, 4, 8, 0, 'x', 0, 0, 0
#define END    0x7f, 0xff, 4, 0

static const uint8_t stick[] = { PCI_ROOT, PCI(3), USB(1), DISK(1), END };
#define STICK (sizeof stick - 4)

/* An option called "a" with that path, in memory of its very size. */
#define OPTION(...)                                                                                \
	make_option((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

static size_t option_bytes;

static uint8_t *make_option(const uint8_t *path, size_t n)
{
	const uint8_t head[] = { 1, 0, 0, 0, (uint8_t)n, 0, 'a', 0, 0, 0 };
	uint8_t *option = malloc(sizeof head + n);

	memcpy(option, head, sizeof head);
	memcpy(option + sizeof head, path, n);
	option_bytes = sizeof head + n;
	return option;
}

static bool starts(uint8_t *option)
{
	bool is = boot_option_starts(option, option_bytes, stick, STICK);

	free(option);
	return is;
}

TEST(ours_and_others)
{
	assert_int_equal(device_path_bytes(stick, sizeof stick), STICK);
	/* the whole device, its partition, a file on it; the short forms of both */
	assert_true(starts(OPTION(PCI_ROOT, PCI(3), USB(1), END)));
	assert_true(starts(OPTION(PCI_ROOT, PCI(3), USB(1), DISK(1), END)));
	assert_true(starts(OPTION(PCI_ROOT, PCI(3), USB(1), DISK(1), FILE_X, END)));
	assert_true(starts(OPTION(DISK(1), END)));
	assert_true(starts(OPTION(DISK(1), FILE_X, END)));
	assert_true(starts(OPTION(3, 15, 11, 0, 255, 255, 255, 255, 8, 6, 80,
		END))); /* any USB disk */
	/* another port, controller, partition; the firmware's own programs; nothing */
	assert_false(starts(OPTION(PCI_ROOT, PCI(3), USB(2), END)));
	assert_false(starts(OPTION(PCI_ROOT, PCI(4), END)));
	assert_false(starts(OPTION(DISK(2), FILE_X, END)));
	assert_false(starts(OPTION(PCI_ROOT, PCI(3), FILE_X, END)));
	assert_false(starts(OPTION(4, 7, 8, 0, 1, 2, 3, 4, FILE_X, END)));
	assert_false(starts(OPTION(END)));
}

#define CARD     3, 11, 10, 0, 0x52, 0x54, 0, 1, 2, 3
#define IPV4(n)  3, 12, 8, 0, 10, 9, 0, n
#define NAMES    3, 31, 9, 0, 0, 10, 9, 0, 1
#define URI_NONE 3, 24, 4, 0
#define URI_X    3, 24, 12, 0, 'h', 't', 't', 'p', ':', '/', '/', 'x'

/* The firmware knows the addresses only once DHCP has answered; the option was made before. */
static bool starts_http(uint8_t *option)
{
	static const uint8_t http[] = { PCI_ROOT, PCI(3), CARD, IPV4(7), NAMES, URI_X, END };
	bool is = boot_option_starts(option, option_bytes, http, sizeof http - 4);

	free(option);
	return is;
}

TEST(network_starts)
{
	static const uint8_t http[] = { PCI_ROOT, PCI(3), CARD, IPV4(7), NAMES, URI_X, END };
	size_t n;

	assert_true(starts_http(OPTION(PCI_ROOT, PCI(3), CARD, IPV4(0), URI_NONE, END)));
	assert_true(starts_http(OPTION(URI_X, END))); /* by any card */
	assert_false(starts_http(OPTION(PCI_ROOT, PCI(4), CARD, IPV4(0), URI_NONE, END)));
	assert_false(starts_http(OPTION(PCI_ROOT, PCI(3), CARD, URI_NONE, END)));
	const uint8_t *uri = device_path_node(http, sizeof http, 3, 24, &n);

	assert_non_null(uri);
	assert_int_equal(n, 12);
	assert_memory_equal(uri + 4, "http://x", 8);
	assert_null(device_path_node(http, sizeof http, 3, 13, &n));
	assert_null(device_path_node(http, sizeof http - 1, 3, 24, &n));
}

TEST(cd)
{
	const uint8_t el_torito[] = { PCI_ROOT, PCI(3), USB(1), 4, 2, 24, 0, 0, 0, 0, 0, 0, 2, 0, 0,
		0, 0, 0, 0, 0, 128, 0, 0, 0, 0, 0, 0, END };
	const uint8_t nameless[] = { PCI_ROOT, PCI(3), USB(1), END };

	assert_true(device_path_is_cd(el_torito, sizeof el_torito));
	assert_false(device_path_is_cd(nameless, sizeof nameless));
	assert_false(device_path_is_cd(stick, sizeof stick));
	/* cut off in the node, and before it */
	assert_false(device_path_is_cd(el_torito, sizeof el_torito - 5));
	assert_false(device_path_is_cd(el_torito, 24));
	assert_false(device_path_is_cd(el_torito, 0));
}

TEST(own_option)
{
	const uint8_t file[] = { FILE_X }, expected[] = { DISK(1), FILE_X, END };
	uint8_t out[100];

	size_t n = boot_option_make(out, sizeof out, "way home", stick, STICK, file, sizeof file);
	assert_int_equal(n, 6 + 2 * sizeof "way home" + sizeof expected);
	assert_memory_equal(out + n - sizeof expected, expected, sizeof expected);
	assert_int_equal(out[4], sizeof expected);
	assert_int_equal(out[0], 1); /* active */
	assert_true(boot_option_starts(out, n, stick, STICK));
	assert_true(boot_option_is_called(out, n, "way home"));
	assert_false(boot_option_is_called(out, n, "way hom"));
	assert_false(boot_option_is_called(out, n, "way homes"));
	assert_false(boot_option_is_called(out, 4, "way home"));
	assert_int_equal(boot_option_make(out, n - 1, "way home", stick, STICK, file, sizeof file),
		0);
	/* without a partition, the whole path */
	n = boot_option_make(out, sizeof out, "x", stick, STICK - 42, file, sizeof file);
	assert_int_equal(n, 6 + 4 + STICK - 42 + sizeof file + 4);
}

#define FILE_OF(...) /* a node of up to 3 characters */                                            \
	4, 4, 4 + 2 * (sizeof((char[]){ __VA_ARGS__ })), 0, WIDE(__VA_ARGS__, 0, 0)
#define WIDE(a, b, c, ...) a, 0, b, 0, c, 0
#define FOLDER(...)                                                                                \
	folder((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }), 64)

static char folder_text[64];

static const char *folder(const uint8_t *path, size_t n, size_t room)
{
	uint8_t *exact = malloc(n);

	memcpy(exact, path, n);
	if (!device_path_folder(exact, n, folder_text, room))
		assert_string_equal(folder_text, "");
	free(exact);
	return folder_text;
}

TEST(folder_of_the_image)
{
	const uint8_t two[] = { FILE_OF('\\', 'E', '\\'), FILE_OF('a', 'b', '/'),
		FILE_OF('x', 'y', 0), END };

	assert_string_equal(FOLDER(FILE_OF('\\', 'E', '/'), FILE_OF('x', 0, 0), END), "\\E");
	assert_string_equal(FOLDER(FILE_OF('a', '/', 'x'), END), "\\a");
	assert_string_equal(FOLDER(FILE_OF('a', 'b', 0), FILE_OF('x', 'y', 0), END), "\\ab");
	assert_string_equal(FOLDER(FILE_OF('\\', 'x', 0), END), ""); /* in the root */
	assert_true(device_path_folder(two, sizeof two, folder_text, 64));
	/* a node of another kind, no text, no ASCII, cut, none, no room */
	assert_string_equal(FOLDER(PCI(3), FILE_OF('a', '/', 'x'), END), "");
	assert_string_equal(FOLDER(FILE_OF('a', '/', 'x'), FILE_OF(0, 0, 0), END), "");
	assert_string_equal(FOLDER(FILE_OF(7, '/', 'x'), END), "");
	assert_string_equal(FOLDER(4, 4, 10, 0, 'a', 0, '/'), "");
	assert_string_equal(FOLDER(END), "");
	for (size_t room = 1; room < 8; room++)
		folder(two, sizeof two, room);
	assert_string_equal(folder(two, sizeof two, 5), "");
}

/* Whatever stands in a variable: no byte beyond its end is read (the sanitizer watches). */
TEST(junk)
{
	for (unsigned i = 0; i < 200000; i++) {
		size_t n = (size_t)rand() % 60;
		uint8_t *data = malloc(n + !n);

		for (size_t j = 0; j < n; j++)
			data[j] = (uint8_t)(rand() % 4 ? rand() % 8 : rand());
		boot_option_starts(data, n, stick, STICK);
		boot_option_starts(stick, sizeof stick, data, n);
		boot_option_is_called(data, n, "ab");
		device_path_node(data, n, 3, 24, &(size_t){ 0 });
		device_path_folder(data, n, folder_text, sizeof folder_text);
		assert_true(device_path_bytes(data, n) <= n);
		free(data);
	}
}

#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })

static void expect_words(const char *words, const uint8_t *bytes, size_t n)
{
	uint8_t *own = malloc(n + 1), *out = malloc(n + 1); /* of their very size */
	size_t left = n, used;
	const void *data = boot_option_data(memcpy(own + 1, bytes, n), &left);
	const char *why = load_options_text(data, left, out, &used);

	if (words && (why || used != strlen(words) || memcmp(out, words, used)))
		fail_msg("expected \"%s\", came \"%.*s\" (%s)", words, (int)used, (char *)out,
			why ? why : "text");
	if (!words && !why)
		fail_msg("expected none, came \"%.*s\"", (int)used, (char *)out);
	free(own);
	free(out);
}

/* What loaders hand over: UCS-2, bytes, Dell's whole option with the words at its end, and junk. */
TEST(load_options)
{
	expect_words("a=1", BYTES('a', 0, '=', 0, '1', 0));
	expect_words("a=1", BYTES('a', 0, '=', 0, '1', 0, 0, 0));
	expect_words("a=1", BYTES('a', '=', '1'));
	expect_words("a=1", BYTES('a', '=', '1', 0));
	expect_words("", BYTES(0, 0));
	expect_words("a=1",
		BYTES(1, 0, 0, 0, 46, 0, 'x', 0, 0, 0, DISK(1), END, 'a', 0, '=', 0, '1', 0));
	expect_words("a=1", BYTES(1, 0, 0, 0, 4, 0, 'x', 0, 0, 0, END, 'a', '=', '1'));
	expect_words("", BYTES(1, 0, 0, 0, 46, 0, 'x', 0, 0, 0, DISK(1), END));
	/* the path has no end, or more than one; no such attributes; no description; binary junk */
	expect_words(NULL, BYTES(1, 0, 0, 0, 42, 0, 'x', 0, 0, 0, DISK(1), 'a', 0));
	expect_words(NULL, BYTES(1, 0, 0, 0, 8, 0, 'x', 0, 0, 0, END, END, 'a', 0));
	expect_words(NULL, BYTES(1, 0, 0, 1, 4, 0, 'x', 0, 0, 0, END, 'a', 0));
	expect_words(NULL, BYTES(1, 0, 0, 0, 4, 0, 'x', 0));
	expect_words(NULL, BYTES('a', 0, 1, 0xd8));
	expect_words(NULL, BYTES(0xe2, 0x82, 0xac));
}
