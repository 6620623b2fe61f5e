/* SPDX-License-Identifier: MIT */
#include "lib/boot_option.h"

#include <stdint.h>
#include <string.h>

enum { MESSAGING = 3, MEDIA = 4, END = 0x7f }; /* types of nodes */
enum { USB_CLASS = 15, USB_WWID = 16, IPV4 = 12, IPV6 = 13, URI = 24, DNS = 31 }; /* messaging */
enum { HARD_DRIVE = 1, CD_ROM = 2, FILE_PATH = 4 };                               /* media */

#define HEAD       6 /* bytes before an option's description: attributes, bytes of the path */
#define NODE       4 /* bytes before a node's data: type, subtype, its bytes */
#define ACTIVE     1
#define WHOLE_PATH 0xff /* subtype of the end of a path */

static const uint8_t end_node[NODE] = { END, WHOLE_PATH, NODE, 0 };

/* A part of a path. */
struct device_path {
	const uint8_t *at;
	size_t n;
};

static unsigned u16(const uint8_t *p)
{
	return p[0] | (unsigned)p[1] << 8;
}

/* Bytes of the first node; 0: there is none, or it ends the path or is malformed. */
static size_t node_bytes(const struct device_path *p)
{
	if (p->n < NODE || p->at[0] == END)
		return 0;
	size_t n = u16(p->at + 2);

	return n < NODE || n > p->n ? 0 : n;
}

static void next_node(struct device_path *p)
{
	size_t n = node_bytes(p);

	p->at += n;
	p->n -= n;
}

static bool is_node(const struct device_path *p, unsigned type, unsigned subtype)
{
	return node_bytes(p) && p->at[0] == type && p->at[1] == subtype;
}

size_t device_path_bytes(const void *path, size_t most)
{
	struct device_path p = { path, most };

	while (node_bytes(&p))
		next_node(&p);
	return p.n >= NODE && p.at[0] == END ? most - p.n : 0;
}

const void *device_path_node(const void *path, size_t most, unsigned type, unsigned subtype,
	size_t *n)
{
	struct device_path p = { path, device_path_bytes(path, most) };

	while (node_bytes(&p) && !is_node(&p, type, subtype))
		next_node(&p);
	*n = node_bytes(&p);
	return *n ? p.at : NULL;
}

/* The rest of a path from its first node of that kind of media on; empty if it has none. */
static struct device_path media_of(const void *device, size_t n, unsigned subtype)
{
	struct device_path p = { device, n };

	while (node_bytes(&p) && !is_node(&p, MEDIA, subtype))
		next_node(&p);
	if (!node_bytes(&p))
		p.n = 0;
	return p;
}

bool device_path_is_cd(const void *path, size_t most)
{
	return media_of(path, most, CD_ROM).n;
}

static struct device_path partition_of(const void *device, size_t n)
{
	return media_of(device, n, HARD_DRIVE);
}

/* Returns true for a node that a network start fills in. */
static bool is_filled_in(const struct device_path *p)
{
	return is_node(p, MESSAGING, IPV4) || is_node(p, MESSAGING, IPV6) ||
		is_node(p, MESSAGING, URI);
}

static bool same_node(const struct device_path *a, const struct device_path *b)
{
	size_t n = node_bytes(a);

	if (is_filled_in(a))
		return is_node(b, MESSAGING, a->at[1]);
	return n && n == node_bytes(b) && memcmp(a->at, b->at, n) == 0;
}

/* A file's name, built from nodes. */
struct name_text {
	char *out;
	size_t bytes, used;
};

/*
 * Add a character. Returns false if it is not printable ASCII, or does not fit. Two separators in a
 * row become one.
 */
static bool put_letter(struct name_text *name, unsigned c)
{
	bool separator = c == '/' || c == '\\';

	if (separator && name->used && name->out[name->used - 1] == '\\')
		return true;
	if (c < ' ' || c > '~' || name->used + 1 >= name->bytes)
		return false;
	name->out[name->used++] = separator ? '\\' : (char)c;
	return true;
}

/* Add a node, with a separator before it. */
static bool put_node(struct name_text *name, const struct device_path *node)
{
	size_t n = node_bytes(node);

	if (!is_node(node, MEDIA, FILE_PATH) || !put_letter(name, '\\'))
		return false;
	for (size_t i = NODE; i + 2 <= n && u16(node->at + i); i += 2)
		if (!put_letter(name, u16(node->at + i)))
			return false;
	return true;
}

bool device_path_folder(const void *path, size_t most, char *out, size_t bytes)
{
	struct name_text name = { out, bytes, 0 };
	struct device_path p = { path, most };
	size_t folder = 0;
	bool good = true;

	for (; good && node_bytes(&p); next_node(&p))
		good = put_node(&name, &p);
	for (size_t i = 0; good && i < name.used; i++)
		if (out[i] == '\\')
			folder = i;
	good = good && name.used > folder + 1; /* a file must follow the folder */
	out[good ? folder : 0] = 0;
	return good;
}

/* The path in an option; empty if the option is malformed. */
static struct device_path path_of(const void *option, size_t n)
{
	const uint8_t *at = option;
	struct device_path none = { at, 0 };

	if (n < HEAD)
		return none;
	size_t bytes = u16(at + 4), text = HEAD;

	while (text + 2 <= n && u16(at + text))
		text += 2;
	text += 2;
	return text <= n && bytes <= n - text ? (struct device_path){ at + text, bytes } : none;
}

bool boot_option_starts(const void *option, size_t n, const void *device, size_t device_bytes)
{
	struct device_path p = path_of(option, n), d = { device, device_bytes };

	if (!node_bytes(&p))
		return false;
	if (is_node(&p, MESSAGING, USB_CLASS) || is_node(&p, MESSAGING, USB_WWID) ||
		is_node(&p, MESSAGING, URI))
		return true;
	if (is_node(&p, MEDIA, HARD_DRIVE))
		d = partition_of(device, device_bytes);
	while (same_node(&p, &d)) {
		next_node(&p);
		next_node(&d);
		if (is_node(&d, MESSAGING, DNS) && !is_node(&p, MESSAGING, DNS))
			next_node(&d);
	}
	return !node_bytes(&p) || (!node_bytes(&d) && is_node(&p, MEDIA, FILE_PATH));
}

/* The place where an option is written. */
struct option_writer {
	uint8_t *out;
	size_t bytes, used;
};

static void put(struct option_writer *w, const void *data, size_t n)
{
	if (w->used <= w->bytes && n <= w->bytes - w->used)
		memcpy(w->out + w->used, data, n);
	w->used += n;
}

static void put_u16(struct option_writer *w, size_t value)
{
	const uint8_t bytes[2] = { (uint8_t)value, (uint8_t)(value >> 8) };

	put(w, bytes, sizeof bytes);
}

size_t boot_option_make(void *out, size_t bytes, const char *description, const void *device,
	size_t device_bytes, const void *file, size_t file_bytes)
{
	struct device_path d = partition_of(device, device_bytes);
	struct option_writer w = { out, bytes, 0 };

	if (!d.n)
		d = (struct device_path){ device, device_bytes };
	put_u16(&w, ACTIVE);
	put_u16(&w, 0);
	put_u16(&w, d.n + file_bytes + NODE);
	for (const char *c = description; *c; c++)
		put_u16(&w, (unsigned char)*c);
	put_u16(&w, 0);
	put(&w, d.at, d.n);
	put(&w, file, file_bytes);
	put(&w, end_node, sizeof end_node);
	return w.used <= bytes ? w.used : 0;
}

const void *boot_option_data(const void *bytes, size_t *n)
{
	const uint8_t *at = bytes;
	struct device_path p = path_of(bytes, *n);

	/* Attributes 8 and up do not exist but for the category (UEFI 2.10, 3.1.3). */
	if (*n < HEAD || at[3] || at[2] || (at[1] & 0xe0) || (at[0] & 0xf4) || !p.n ||
		device_path_bytes(p.at, p.n) + NODE != p.n || p.at[p.n - 3] != WHOLE_PATH)
		return bytes;
	*n -= (size_t)(p.at + p.n - at);
	return p.at + p.n;
}

static bool is_letter(unsigned c)
{
	return c == '\t' || c == '\r' || c == '\n' || (c >= ' ' && c <= '~');
}

/* Take every `step`-th byte, but an end of zeros. Returns false if there is another character. */
static bool take_text(const uint8_t *in, size_t n, unsigned step, unsigned char *out, size_t *used)
{
	*used = 0;
	while (n >= step && !in[n - 1] && !in[n - step])
		n -= step;
	for (size_t i = 0; i + step <= n; i += step) {
		if (!is_letter(step == 2 ? u16(in + i) : in[i]))
			return false;
		out[(*used)++] = in[i];
	}
	return n % step == 0;
}

const char *load_options_text(const void *options, size_t n, unsigned char *out, size_t *used)
{
	if (take_text(options, n, 2, out, used) || take_text(options, n, 1, out, used))
		return NULL;
	*used = 0;
	return "load options are not text";
}

bool boot_option_is_called(const void *option, size_t n, const char *description)
{
	const uint8_t *at = option;
	size_t i = 0, letters = strlen(description);

	if (n < HEAD || (n - HEAD) / 2 <= letters)
		return false;
	while (i < letters && u16(at + HEAD + 2 * i) == (unsigned char)description[i])
		i++;
	return i == letters && !u16(at + HEAD + 2 * i);
}
