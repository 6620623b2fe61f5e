/* SPDX-License-Identifier: MIT */
/* The server of a network start, from the network's own replies. */
#include "lib/boot_server.h"
#include "tests/unit/test.h"

static struct boot_server server;

/* --- DHCP: a packet in memory of its very size, so that the sanitizer sees a read beyond --- */

enum { FIXED = 240, FILE_AT = 108, FILE_BYTES = 128, NAME_AT = 44 };

static uint8_t packet[1472];
static size_t packet_bytes;

static void begin(const char *file)
{
	static const uint8_t magic[] = { 99, 130, 83, 99 }, next[] = { 10, 9, 0, 1 };

	memset(packet, 0, sizeof packet);
	memcpy(packet + 20, next, 4);
	memcpy(packet + FILE_AT, file, strlen(file));
	memcpy(packet + FIXED - 4, magic, 4);
	packet_bytes = FIXED;
}

static void option(unsigned code, const void *value, size_t n)
{
	packet[packet_bytes++] = (uint8_t)code;
	packet[packet_bytes++] = (uint8_t)n;
	memcpy(packet + packet_bytes, value, n);
	packet_bytes += n;
}

static const char *read_packet(size_t n)
{
	uint8_t *exact = malloc(n + 1);
	const char *why = boot_server_by_dhcp(memcpy(exact + 1, packet, n), n, &server);

	free(exact);
	return why;
}

static void assert_place(const char *place, const char *shown)
{
	assert_string_equal(server.place, place);
	assert_string_equal(server.shown, shown);
}

TEST(dhcp_fields)
{
	begin("BOOTX64.EFI");
	assert_null(read_packet(packet_bytes));
	assert_place("", "10.9.0.1");
	begin("/pxe/lab/BOOTX64.EFI");
	assert_null(read_packet(packet_bytes));
	assert_place("/pxe/lab/", "10.9.0.1");
	begin("Boot\\x64\\BOOTX64.EFI");
	assert_null(read_packet(packet_bytes));
	assert_place("Boot\\x64\\", "10.9.0.1");
}

TEST(dhcp_options)
{
	static const uint8_t id[] = { 192, 168, 7, 254 };

	begin("other/file");
	option(0, "", 0);
	packet_bytes--; /* a pad has no length */
	option(54, id, 4);
	option(67, "pxe/BOOTX64.EFI", 16); /* with its NUL */
	option(3, "\12\11\0\376more", 8);
	packet[packet_bytes++] = 255;
	option(67, "late/x", 6);
	assert_null(read_packet(packet_bytes));
	assert_place("pxe/", "10.9.0.1");
	uint8_t router[4] = { 1, 2, 3, 4 }, expected[] = { 10, 9, 0, 254 }, none[4] = { 0 };

	boot_server_gateway(packet, packet_bytes, router);
	assert_memory_equal(router, expected, 4);
	boot_server_gateway(packet, FIXED, router);
	assert_memory_equal(router, none, 4);
	memset(packet + 20, 0, 4); /* no next server */
	assert_null(read_packet(packet_bytes));
	assert_place("pxe/", "192.168.7.254");
}

/* Option 52: the fields of the names hold options. */
TEST(dhcp_overload)
{
	begin("");
	option(52, "\3", 1);
	memcpy(packet + NAME_AT, "\x43\4a/b\0\xff", 7);
	assert_null(read_packet(packet_bytes));
	assert_place("a/", "10.9.0.1");
	memset(packet + NAME_AT, 0, 64);
	assert_non_null(read_packet(packet_bytes));
}

TEST(dhcp_without_a_server)
{
	begin("BOOTX64.EFI");
	for (size_t n = 0; n < FIXED; n++)
		assert_non_null(read_packet(n));
	packet[FIXED - 1] ^= 1;
	assert_non_null(read_packet(packet_bytes));
	begin("BOOTX64.EFI");
	memset(packet + 20, 0, 4);
	assert_string_equal(read_packet(packet_bytes), "DHCP names no boot server");
	begin("");
	assert_string_equal(read_packet(packet_bytes), "DHCP names no file of a TFTP server");
	begin("http://10.9.0.1/boot.ipxe");
	assert_non_null(read_packet(packet_bytes));
	begin("a\nb/BOOTX64.EFI");
	assert_non_null(read_packet(packet_bytes));
}

TEST(dhcp_cut_off)
{
	begin("x/BOOTX64.EFI");
	packet[packet_bytes++] = 67;
	assert_null(read_packet(packet_bytes)); /* an option without its length: the field */
	assert_place("x/", "10.9.0.1");
	packet[packet_bytes++] = 200;
	assert_null(read_packet(packet_bytes)); /* longer than the packet */
	assert_place("x/", "10.9.0.1");
	memset(packet + FILE_AT, '/', FILE_BYTES); /* a field without its NUL */
	assert_null(read_packet(packet_bytes));
	assert_int_equal(strlen(server.place), FILE_BYTES);
}

TEST(long_paths)
{
	char longest[255], out[SERVER_PATH], name[SERVER_PATH];

	memset(longest, '/', sizeof longest);
	begin("");
	option(67, longest, sizeof longest);
	assert_null(read_packet(packet_bytes));
	assert_int_equal(strlen(server.place), sizeof longest);
	memset(name, 'n', sizeof name);
	name[SERVER_PATH - 1 - sizeof longest] = 0;
	assert_true(boot_server_path(&server, name, out));
	assert_int_equal(strlen(out), SERVER_PATH - 1);
	name[SERVER_PATH - 1 - sizeof longest] = 'n';
	name[SERVER_PATH - sizeof longest] = 0;
	assert_false(boot_server_path(&server, name, out));
}

/* --- addresses --- */

static char host[SERVER_PLACE];

static const char *read_uri(const char *uri)
{
	size_t n = strlen(uri);
	char *exact = malloc(n + 1);
	const char *why = boot_server_by_uri(memcpy(exact + 1, uri, n), n, &server, host);

	free(exact);
	return why;
}

TEST(addresses)
{
	assert_null(read_uri("http://10.9.0.1:8080/pxe/BOOTX64.EFI"));
	assert_place("http://10.9.0.1:8080/pxe/", "http://10.9.0.1:8080");
	assert_null(read_uri("https://boot.example/BOOTX64.EFI?of=a/b#c/d"));
	assert_place("https://boot.example/", "https://boot.example");
	assert_null(read_uri("http://host"));
	assert_place("http://host/", "http://host");
	assert_null(read_uri("http://host?x/y"));
	assert_place("http://host/", "http://host");
	assert_null(read_uri("http://[fd00::1]/a/b"));
	assert_place("http://[fd00::1]/a/", "http://[fd00::1]");
}

/* A server of several names gives the files of the one that it is asked by: none of it is cut. */
TEST(hosts)
{
	static const char *const of[][2] = { { "http://h", "h" },
		{ "http://10.9.0.1:8080/pxe/BOOTX64.EFI", "10.9.0.1:8080" },
		{ "https://[fd00::1]:1/x", "[fd00::1]:1" },
		{ "http://a-name-that-is-not-seldom.on-a-rented-machine.of-some-company.example/"
		  "pxe/b",
			"a-name-that-is-not-seldom.on-a-rented-machine.of-some-company.example" } };

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		assert_null(read_uri(of[i][0]));
		assert_string_equal(host, of[i][1]);
	}
}

TEST(no_addresses)
{
	static const char *const bad[] = { "", "http://", "http:///x", "ftp://host/x", "tftp://h/x",
		"http:/host/x", "http://ho st/x", "http://host/\x7f", "HTTP" };
	char many[SERVER_PLACE + 16] = "http://";

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (!read_uri(bad[i]))
			fail_msg("'%s' is taken for an address", bad[i]);
	memset(many + 7, 'h', sizeof many - 8);
	many[sizeof many - 1] = 0;
	assert_non_null(read_uri(many));
	memset(many + 8, '/', sizeof many - 9);
	assert_non_null(read_uri(many));
}

TEST(names)
{
	static const uint8_t mac[] = { 0x52, 0x54, 0, 0xab, 0xcd, 0xff };
	char text[MAC_TEXT], out[SERVER_PATH];

	mac_text(text, mac);
	assert_string_equal(text, "52-54-00-ab-cd-ff");
	read_uri("http://h/a/b");
	assert_true(boot_server_path(&server, "anechoic.cfg", out));
	assert_string_equal(out, "http://h/a/anechoic.cfg");
}

/* The order of EFI_HTTP_STATUS_CODE. */
TEST(http_status)
{
	static const uint16_t known[][2] = { { 0, 0 }, { 1, 100 }, { 2, 101 }, { 3, 200 },
		{ 4, 201 }, { 7, 204 }, { 9, 206 }, { 10, 300 }, { 15, 305 }, { 16, 307 },
		{ 17, 400 }, { 21, 404 }, { 34, 417 }, { 35, 500 }, { 40, 505 }, { 41, 308 },
		{ 42, 0 }, { 65535, 0 } };

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		assert_int_equal(http_status_number(known[i][0]), known[i][1]);
}

TEST(full_disks)
{
	assert_true(server_says_full("Disk full or allocation exceeded"));
	assert_true(server_says_full("No space left on device"));
	assert_false(server_says_full("File not found"));
	assert_false(server_says_full("spac"));
	assert_false(server_says_full(""));
}

TEST(http_headers)
{
	static const char *const bad[] = { "", " ", "x", "1x", "-1", "12 ", "9007199254740993",
		"99999999999999999999" };
	static const char *const others[] = { "content-lengt", "content-lengths", "content_length",
		"cOntent-typing" };
	uint64_t n = 7;

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		header_length(others[i], "1", &n);
	assert_int_equal(n, 7);
	header_length("Content-LENGTH", " 65536", &n);
	assert_int_equal(n, 65536);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		n = 7;
		header_length("content-length", bad[i], &n);
		assert_true(n == LENGTH_UNKNOWN);
	}
}
