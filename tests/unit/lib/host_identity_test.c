/* SPDX-License-Identifier: MIT */
/* The machine's UUID and serial number, from what SMBIOS may hold. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/host_identity.h"
#include "linux/system.h"
#include "tests/unit/test.h"

#define BIOS "\0\5\0\0\1maker\0\0" /* type 0, with a string */
#define UUID "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10"
/* type 1: manufacturer, product, version, serial number; UUID; how it woke, SKU, family */
#define SYSTEM "\1\x1b\0\0\1\2\0\3" UUID "\6\0\0"
#define LAST   "\x7f\4\0\0\0\0"

static struct host_identity host;

/* In memory of its very size, so that the sanitizer sees a read beyond. */
static void read_bytes(const char *bytes, size_t n)
{
	char *exact = malloc(n + 1);

	memset(&host, 0, sizeof host);
	host_identity_smbios(memcpy(exact + 1, bytes, n), n, &host);
	free(exact);
}

#define READ(bytes) read_bytes(bytes, sizeof(bytes) - 1)

static void assert_host(const char *uuid, const char *serial)
{
	assert_string_equal(host.uuid, uuid);
	assert_string_equal(host.serial, serial);
}

TEST(known)
{
	READ(BIOS SYSTEM "acme\0box 3\0SN 123  \0\0" LAST);
	assert_host("04030201-0605-0807-090a-0b0c0d0e0f10", "SN 123");
}

TEST(unknown)
{
	READ(BIOS LAST);
	assert_host("", "");
	READ(LAST BIOS SYSTEM "a\0b\0c\0\0");
	assert_host("", "");
	/* no string of that number; none at all */
	READ(SYSTEM "a\0b\0\0" LAST);
	assert_host("04030201-0605-0807-090a-0b0c0d0e0f10", "");
	READ("\1\x19\0\0\0\0\0\0"
	     "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\6\0\0" LAST);
	assert_host("", "");
	/* of version 2.0: without a UUID */
	READ("\1\x08\0\0\0\0\0\1only\0\0" LAST);
	assert_host("", "only");
}

TEST(strange)
{
	static const char whole[] = BIOS SYSTEM "acme\0box\0\x01\xff\"\0\0";
	char longest[200];

	READ(BIOS SYSTEM "acme\0box\0\x01\xff\"\0\0");
	assert_string_equal(host.serial, "??\"");
	for (size_t n = 0; n < sizeof whole - 1; n++) {
		read_bytes(whole, n);
		assert_host("", "");
	}
	memset(longest, 'x', sizeof longest);
	memcpy(longest, "\1\x08\0\0\0\0\0\1", 8);
	longest[198] = longest[199] = 0;
	read_bytes(longest, sizeof longest);
	assert_int_equal(strlen(host.serial), HOST_SERIAL - 1);
}

TEST(junk)
{
	for (unsigned i = 0; i < 100000; i++) {
		char bytes[64];
		size_t n = (size_t)rand() % sizeof bytes;

		for (size_t j = 0; j < n; j++)
			bytes[j] = (char)(rand() % 3 ? rand() % 6 : rand());
		read_bytes(bytes, n);
	}
}

/* --- under Linux, by made-up files --- */

static char root[] = "/tmp/anechoic-root-XXXXXX";

static void put(const char *path, const char *text)
{
	char all[256];

	snprintf(all, sizeof all, "mkdir -p \"$(dirname '%s%s')\" && echo '%s' >'%s%s'", root, path,
		text, root, path);
	assert_int_equal(system(all), 0);
}

TEST(under_linux)
{
	struct host_identity h;

	assert_non_null(mkdtemp(root));
	h = host_names_read(root);
	assert_string_equal(h.uuid, "");
	assert_string_equal(h.mac, "");
	put("/sys/class/net/br0/address", "02:00:00:00:00:01"); /* no device */
	put("/sys/class/net/eth2/address", "02:00:00:00:00:02");
	put("/sys/class/net/eth2/device", "");
	put("/sys/class/net/eth10/address", "02:00:00:00:00:ab");
	put("/sys/class/net/eth10/device", "");
	put("/sys/class/net/eth0/address", "80:00:02:08:fe:80:00:00"); /* InfiniBand */
	put("/sys/class/net/eth0/device", "");
	put("/sys/class/dmi/id/product_serial", "SN 123");
	h = host_names_read(root);
	assert_string_equal(h.mac, "02-00-00-00-00-ab");
	assert_string_equal(h.serial, "SN 123");
	assert_string_equal(h.uuid, "");
	char command[64];

	snprintf(command, sizeof command, "rm -r %s", root);
	assert_int_equal(system(command), 0);
}
