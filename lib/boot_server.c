/* SPDX-License-Identifier: MIT */
#include "lib/boot_server.h"

#include <string.h>

#include "lib/text.h"

/*
 * Offsets of fields in a BOOTP packet (RFC 951), and of its options and the number before (RFC
 * 2131).
 */
enum { NEXT_SERVER = 20, SERVER_FIELD = 44, FILE_FIELD = 108, MAGIC = 236, OPTIONS = 240 };
enum {
	PAD = 0,
	ROUTER = 3,
	OVERLOAD = 52,
	SERVER_ID = 54,
	BOOT_FILE = 67,
	END = 255
}; /* RFC 2132 */
enum { FILE_HAS_OPTIONS = 1, SERVER_HAS_OPTIONS = 2 };

/* A part of the received bytes. */
struct reply_part {
	const uint8_t *at;
	size_t n;
};

void mac_text(char out[MAC_TEXT], const uint8_t mac[MAC_BYTES])
{
	text_format(out, MAC_TEXT, "%02x-%02x-%02x-%02x-%02x-%02x", mac[0], mac[1], mac[2], mac[3],
		mac[4], mac[5]);
}

/* The value of an option; empty: there is none, or it is cut off. */
static struct reply_part option_in(struct reply_part p, unsigned wanted)
{
	const struct reply_part none = { p.at, 0 };

	while (p.n >= 2 && *p.at != END) {
		size_t bytes = *p.at == PAD ? 1 : 2 + (size_t)p.at[1];

		if (bytes > p.n)
			return none;
		if (*p.at == wanted && *p.at != PAD)
			return (struct reply_part){ p.at + 2, bytes - 2 };
		p.at += bytes;
		p.n -= bytes;
	}
	return none;
}

/* Returns the wanted option from all fields that may hold options. */
static struct reply_part option_of(const uint8_t *packet, size_t n, unsigned wanted)
{
	const struct reply_part options = { packet + OPTIONS, n - OPTIONS };
	struct reply_part found = option_in(options, wanted),
			  overload = option_in(options, OVERLOAD);
	unsigned more = overload.n ? *overload.at : 0;

	if (!found.n && (more & FILE_HAS_OPTIONS))
		found = option_in((struct reply_part){ packet + FILE_FIELD, MAGIC - FILE_FIELD },
			wanted);
	if (!found.n && (more & SERVER_HAS_OPTIONS))
		found = option_in((struct reply_part){ packet + SERVER_FIELD,
					  FILE_FIELD - SERVER_FIELD },
			wanted);
	return found;
}

static struct reply_part boot_file_of(const uint8_t *packet, size_t n)
{
	struct reply_part file = option_of(packet, n, BOOT_FILE);
	struct reply_part overload = option_of(packet, n, OVERLOAD);

	if (!file.n && !(overload.n && (*overload.at & FILE_HAS_OPTIONS)))
		file = (struct reply_part){ packet + FILE_FIELD, MAGIC - FILE_FIELD };
	return file;
}

/* Cut the text at its first NUL. Returns false if a character before is not printable. */
static bool text_of(struct reply_part *p)
{
	size_t i = 0;

	for (; i < p->n && p->at[i]; i++)
		if (p->at[i] <= ' ' || p->at[i] > '~')
			return false;
	p->n = i;
	return true;
}

/* Set `place` to the text up to its last separator, or to "". Returns NULL, or the error. */
static const char *take_place(struct boot_server *s, struct reply_part p, const char *separators)
{
	while (p.n && !strchr(separators, p.at[p.n - 1]))
		p.n--;
	if (p.n >= sizeof s->place)
		return "the image's path on the boot server is too long";
	memcpy(s->place, p.at, p.n);
	s->place[p.n] = 0;
	return NULL;
}

static bool has_scheme(struct reply_part p)
{
	for (size_t i = 0; i + 3 <= p.n; i++)
		if (memcmp(p.at + i, "://", 3) == 0)
			return true;
	return false;
}

const char *boot_server_by_dhcp(const void *packet, size_t n, struct boot_server *s)
{
	static const uint8_t magic[4] = { 99, 130, 83, 99 }, nobody[4];
	const uint8_t *at = packet;

	if (n < OPTIONS || memcmp(at + MAGIC, magic, sizeof magic) != 0)
		return "the boot server's answer is not one of DHCP";
	struct reply_part file = boot_file_of(at, n), id = option_of(at, n, SERVER_ID);

	memcpy(s->ip, at + NEXT_SERVER, sizeof s->ip);
	if (memcmp(s->ip, nobody, sizeof nobody) == 0 && id.n == sizeof s->ip)
		memcpy(s->ip, id.at, sizeof s->ip);
	if (memcmp(s->ip, nobody, sizeof nobody) == 0)
		return "DHCP names no boot server";
	if (!text_of(&file) || !file.n || has_scheme(file))
		return "DHCP names no file of a TFTP server";
	text_format(s->shown, sizeof s->shown, "%u.%u.%u.%u", s->ip[0], s->ip[1], s->ip[2],
		s->ip[3]);
	return take_place(s, file, "/\\");
}

void boot_server_gateway(const void *packet, size_t n, uint8_t ip[4])
{
	memset(ip, 0, 4);
	if (n < OPTIONS)
		return;
	struct reply_part router = option_of(packet, n, ROUTER);

	if (router.n >= 4)
		memcpy(ip, router.at, 4);
}

/* Bytes of "http://host:port"; 0: this is no such address. */
static size_t authority_bytes(struct reply_part p)
{
	static const char *const schemes[] = { "http://", "https://" };

	for (unsigned i = 0; i < 2; i++) {
		size_t n = strlen(schemes[i]), first = n;

		if (p.n <= n || memcmp(p.at, schemes[i], n) != 0)
			continue;
		while (n < p.n && p.at[n] != '/' && p.at[n] != '?' && p.at[n] != '#')
			n++;
		return n > first ? n : 0;
	}
	return 0;
}

static const char *place_by_uri(const char *uri, size_t n, struct boot_server *s)
{
	struct reply_part p = { (const uint8_t *)uri, n };

	if (!text_of(&p))
		return "the address of the image is not text";
	size_t host = authority_bytes(p);

	if (!host)
		return "the image came from no web server";
	for (n = host; n < p.n && p.at[n] != '?' && p.at[n] != '#'; n++)
		;
	text_format(s->shown, sizeof s->shown, "%.*s", (int)host, uri);
	if (n > host)
		return take_place(s, (struct reply_part){ p.at, n }, "/");
	if (host + 1 >= sizeof s->place)
		return "the image's path on the boot server is too long";
	text_format(s->place, sizeof s->place, "%.*s/", (int)host, uri);
	return NULL;
}

const char *boot_server_by_uri(const char *uri, size_t n, struct boot_server *s,
	char host[SERVER_PLACE])
{
	const char *why = place_by_uri(uri, n, s);

	if (why)
		return why;
	const char *at = strchr(s->place, ':') + strlen("://");

	text_format(host, SERVER_PLACE, "%.*s", (int)(strchr(at, '/') - at), at);
	return NULL;
}

bool boot_server_path(const struct boot_server *s, const char *name, char out[SERVER_PATH])
{
	return text_format(out, SERVER_PATH, "%s%s", s->place, name) < SERVER_PATH;
}

unsigned http_status_number(unsigned code)
{
	/* Runs of numbers in the order of the codes, which begin at 1. */
	static const struct {
		uint16_t first, n;
	} runs[] = { { 100, 2 }, { 200, 7 }, { 300, 6 }, { 307, 1 }, { 400, 18 }, { 500, 6 },
		{ 308, 1 } };
	unsigned at = 1;

	for (size_t i = 0; i < sizeof runs / sizeof *runs; at += runs[i++].n)
		if (code >= at && code < at + runs[i].n)
			return runs[i].first + (code - at);
	return 0;
}

static bool has(const char *text, const char *word)
{
	size_t n = strlen(text), bytes = strlen(word);

	for (size_t i = 0; i + bytes <= n; i++)
		if (memcmp(text + i, word, bytes) == 0)
			return true;
	return false;
}

bool server_says_full(const char *said)
{
	return has(said, "full") || has(said, "space");
}

static bool header_is(const char *name, const char *lower)
{
	for (; *name && *lower; name++, lower++)
		if (*name != *lower && !(*name >= 'A' && *name <= 'Z' && *name + 32 == *lower))
			return false;
	return *name == *lower;
}

void header_length(const char *name, const char *value, uint64_t *out)
{
	uint64_t n = 0;

	if (!header_is(name, "content-length"))
		return;
	*out = LENGTH_UNKNOWN;
	while (*value == ' ' || *value == '\t')
		value++;
	if (!*value)
		return;
	for (; *value >= '0' && *value <= '9'; value++)
		if ((n = 10 * n + (uint64_t)(*value - '0')) > 1ULL << 53)
			return;
	if (!*value)
		*out = n;
}
