/* SPDX-License-Identifier: MIT */
/*
 * The replies of a boot server and of a DHCP server. The first byte chooses: a packet of DHCP, the
 * address that the image came from, or the value of a header. The input ends where its memory ends.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/boot_server.h"
#include "tests/fuzz/fuzz.h"

/*
 * Expect that a parsed reply is printable, and that a file's path is its place and its name, or
 * refused.
 */
static void use(const struct boot_server *s)
{
	char path[SERVER_PATH];

	for (const char *p = s->place; *p; p++)
		if (*p <= ' ' || *p > '~')
			abort();
	if (memchr(s->shown, 0, sizeof s->shown) == NULL)
		abort();
	if (boot_server_path(s, "anechoic.cfg", path) &&
		strcmp(path + strlen(s->place), "anechoic.cfg") != 0)
		abort();
}

static void header(const uint8_t *value, size_t n)
{
	char *text = malloc(n + 1);
	uint64_t number = 0;

	if (!text)
		return;
	memcpy(text, value, n);
	text[n] = 0;
	header_length(text, "", &number);
	server_says_full(text);
	header_length("content-length", text, &number);
	if (number != LENGTH_UNKNOWN && number > 1ULL << 53)
		abort();
	free(text);
}

static void address(const uint8_t *uri, size_t n)
{
	struct boot_server server = { 0 };
	char host[SERVER_PLACE];

	if (boot_server_by_uri((const char *)uri, n, &server, host))
		return;
	use(&server);
	if (!*host || strchr(host, '/'))
		abort();
}

static void packet(const uint8_t *dhcp, size_t n)
{
	struct boot_server server = { 0 };
	uint8_t gateway[4];

	boot_server_gateway(dhcp, n, gateway);
	if (!boot_server_by_dhcp(dhcp, n, &server))
		use(&server);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static void (*const uses[])(const uint8_t *, size_t) = { packet, address, header };
	enum { USES = sizeof uses / sizeof *uses };

	/* libFuzzer's own copy is as long as the input: what reads beyond it is found. */
	if (n)
		uses[data[0] % USES](data + 1, n - 1);
	return 0;
}
