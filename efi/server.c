/* SPDX-License-Identifier: MIT */
/*
 * The server that this image was booted from, by HTTP or TFTP: its configuration, and the file
 * calls of struct machine by it. A server takes whole files only: appended data is sent when the
 * file is closed, from its place in memory.
 */
#include <string.h>

#include "efi/server.h"
#include "lib/text.h"
#include "lib/boot_option.h"

#define PAGE        4096
#define OWN_PREFIX  "\\anechoic" /* of names of files other than results: \anechoic.state */
#define SAID_BESIDE 24           /* the server's words, in a line that has other text */

static struct {
	char name[96]; /* on the server */
	const char *data;
	size_t n;
	bool open, taken; /* taken: the server has all of it */
} file;

static const struct server_transfer *server; /* takes names, not paths */
static char prefix[40];

/* Write "anechoic-52-54-00-12-34-56-20260101T000000Z-bare.ndjson". */
static void name_there(char out[sizeof file.name], const char *name)
{
	size_t own = strlen(OWN_PREFIX);

	if (*name == '\\')
		text_format(out, sizeof(file.name), "%.*s%s", (int)strlen(prefix) - 1, prefix,
			name + own);
	else
		text_format(out, sizeof(file.name), "%s%s", prefix, name);
}

static uint64_t create(const char *name)
{
	if (file.open)
		return EFI_ALREADY_STARTED;
	memset(&file, 0, sizeof(file));
	name_there(file.name, name);
	file.open = true;
	return EFI_SUCCESS;
}

static uint64_t append(const void *data, size_t n)
{
	const char *from = data;

	if (!file.open)
		return EFI_NOT_STARTED;
	if (file.n && from != file.data + file.n)
		return EFI_OUT_OF_RESOURCES; /* it is not one piece of memory */
	if (!file.n)
		file.data = from;
	file.n += n;
	return EFI_SUCCESS;
}

static uint64_t close(void)
{
	if (!file.open)
		return EFI_NOT_STARTED;
	file.open = false;
	EFI_STATUS status = server->put(file.name, file.data, file.n);
	file.taken = !EFI_ERROR(status);
	return status;
}

/* Returns true if the server took exactly this just now. */
static bool was_taken(const char *name, const void *data, size_t n)
{
	return file.taken && strcmp(file.name, name) == 0 && file.data == data && file.n == n;
}

static uint64_t compare_by(const char *name, const void *data, size_t n, unsigned char *copy,
	size_t most, enum file_match *match)
{
	UINTN there = most;

	EFI_STATUS status = server->get(name, copy, &there);
	if (status == EFI_BUFFER_TOO_SMALL)
		return EFI_SUCCESS; /* longer than the text it is compared with */
	if ((status == EFI_ACCESS_DENIED || status == EFI_NOT_FOUND) && was_taken(name, data, n)) {
		*match = FILE_TAKEN;
		return EFI_SUCCESS;
	}
	if (!EFI_ERROR(status) && there <= n && memcmp(copy, data, there) == 0)
		*match = there == n ? FILE_SAME : FILE_BEGINNING;
	return status;
}

static uint64_t compare(const char *name, const void *data, size_t n, enum file_match *match)
{
	UINTN pages = n / PAGE + 1;
	EFI_PHYSICAL_ADDRESS copy;
	char there[sizeof(file.name)];

	*match = FILE_OTHER;
	name_there(there, name);
	EFI_STATUS status = fw.boot->AllocatePages(AllocateAnyPages, EfiLoaderData, pages, &copy);
	if (EFI_ERROR(status))
		return status;
	status = compare_by(there, data, n, (void *)copy, pages * PAGE, match);
	fw.boot->FreePages(copy, pages);
	return status;
}

static uint64_t read(const char *name, void *data, size_t *n)
{
	char there[sizeof(file.name)];
	UINTN bytes = *n;

	name_there(there, name);
	EFI_STATUS status = server->get(there, data, &bytes);
	if (!EFI_ERROR(status))
		*n = bytes;
	return status;
}

/* Empty a file of our own, since a server deletes nothing. A result stays as it is. */
static uint64_t delete (const char *name)
{
	char there[sizeof(file.name)], data[512];
	UINTN n = sizeof(data);

	if (*name != '\\')
		return EFI_UNSUPPORTED;
	name_there(there, name);
	EFI_STATUS status = server->get(there, data, &n);
	if (status == EFI_NOT_FOUND || (!EFI_ERROR(status) && n <= 1))
		return EFI_NOT_FOUND;
	return server->put(there, "\n", 1);
}

static bool exists(const char *name)
{
	char there[sizeof(file.name)], data[64];
	UINTN n = sizeof(data);

	name_there(there, name);
	EFI_STATUS status = server->get(there, data, &n);
	return !EFI_ERROR(status) || status == EFI_BUFFER_TOO_SMALL;
}

/* Returns false: no protocol of a boot server lists files. */
static bool before(const char *name, const char *part, char *out, size_t bytes)
{
	return false;
}

/*
 * Send the first file: it tells the server's keeper which machine started when, and shows whether
 * the server takes any.
 */
static EFI_STATUS announce(const struct machine *m)
{
	static char text[128];
	char name[sizeof(file.name)];

	name_there(name, OWN_PREFIX ".started");
	int n = text_format(text, sizeof(text), "%s %.63s\n",
		m->started_utc[0] ? m->started_utc : "notime", m->firmware_vendor);
	return server->put(name, text, (UINTN)n);
}

/*
 * Send result files to the server from now on, if it takes one. Returns NULL, or why it does not.
 * Names there begin with "anechoic-" and the address of the network card.
 */
static const char *server_files_try(struct machine *m, const struct server_transfer *way,
	const char *mac)
{
	static char why[120];

	server = way;
	text_format(prefix, sizeof(prefix), "anechoic-%s-", mac);
	EFI_STATUS status = announce(m);
	if (status == EFI_NO_RESPONSE)
		return "the boot server does not answer";
	if (EFI_ERROR(status)) {
		text_format(why, sizeof(why), "the boot server stores no file%s(%s: %s)",
			strlen(server_said) > SAID_BESIDE ? "\n  " : " ", way->name, server_said);
		return why;
	}
	m->file_create = create;
	m->file_append = append;
	m->file_close = close;
	m->file_compare = compare;
	m->file_read = read;
	m->file_delete = delete;
	m->file_exists = exists;
	m->file_before = before;
	m->file_prefix = prefix;
	m->file_gap = "\n  ";
	return NULL;
}

/* A network start: the server that the image came from, and its use. */

static const struct server_transfer *way; /* NULL: none */
static struct boot_server booted_from;
static const char *why_not = ""; /* NULL: it is usable; "": this was no network start */
static char mac[MAC_TEXT];
static bool silent; /* it did not answer: ask nothing again */

static EFI_STATUS outcome(EFI_STATUS status)
{
	switch (status) {
	case EFI_SUCCESS:
	case EFI_NOT_FOUND:
	case EFI_ACCESS_DENIED:
	case EFI_VOLUME_FULL:
	case EFI_BUFFER_TOO_SMALL:
	case EFI_HTTP_ERROR:
		return status;
	default:
		silent = true;
		return EFI_NO_RESPONSE;
	}
}

/* Write the path of a file on the server; an error if the server must not be asked any more. */
static EFI_STATUS path_there(const char *name, char path[SERVER_PATH])
{
	if (silent)
		return EFI_NO_RESPONSE;
	return boot_server_path(&booted_from, name, path) ? EFI_SUCCESS : EFI_INVALID_PARAMETER;
}

static EFI_STATUS get(const char *name, void *data, UINTN *n)
{
	char path[SERVER_PATH];
	EFI_STATUS status = path_there(name, path);

	return EFI_ERROR(status) ? status : outcome(way->get(path, data, n));
}

static EFI_STATUS put(const char *name, const void *data, UINTN n)
{
	char path[SERVER_PATH];
	EFI_STATUS status = path_there(name, path);

	return EFI_ERROR(status) ? status : outcome(way->put(path, data, n));
}

static bool find_mac(void)
{
	EFI_DEVICE_PATH *path = path_of(fw.loaded->DeviceHandle);
	size_t n;

	if (!path)
		return false;
	const MAC_ADDR_DEVICE_PATH *card =
		device_path_node(path, PATH_MOST, MESSAGING_DEVICE_PATH, MSG_MAC_ADDR_DP, &n);
	if (!card || n < sizeof(*card))
		return false;
	mac_text(mac, card->MacAddress.Addr);
	return true;
}

static void say(struct machine *m, const char *format, const char *what)
{
	char line[160];

	if (m->has_console)
		m->print(line, (size_t)text_format(line, sizeof(line), format, what));
}

void server_open(struct machine *m)
{
	bool card = find_mac();

	memcpy(m->host.mac, mac, sizeof(mac));
	if (!card)
		return;
	why_not = http_open(&booted_from, &way);
	if (why_not && !*why_not)
		why_not = tftp_open(&booted_from, &way);
	if (why_not)
		return;
	text_format(m->server, sizeof(m->server), "%s by %s", booted_from.shown, way->name);
	say(m, "\nthe boot server is %s\n", m->server);
}

const char *server_results(struct machine *m)
{
	static struct server_transfer guarded = { .get = get, .put = put };

	if (!way)
		return why_not;
	guarded.name = way->name;
	return server_files_try(m, &guarded, mac);
}

/* Read a configuration of that name. */
static EFI_STATUS read_config(struct machine *m, const char *name, unsigned char *data, UINTN most)
{
	static char why[80];
	UINTN n = most;

	EFI_STATUS status = get(name, data, &n);
	if (status == EFI_SUCCESS) {
		m->config = (struct text){ .data = data, .bytes = n };
		say(m, "its file %s is the configuration\n", name);
	} else if (status != EFI_NOT_FOUND) {
		text_format(why, sizeof(why), "the boot server's %s%s", name,
			status == EFI_BUFFER_TOO_SMALL      ? " is larger than 64 KiB"
				: status == EFI_NO_RESPONSE ? ": no answer"
							    : " cannot be read");
		m->config = (struct text){ .absent = why, .bad = true };
	}
	return status;
}

bool server_config(struct machine *m, UINTN most)
{
	char name[64];

	if (!way)
		return false;
	m->config.absent = "no anechoic.cfg on the boot server";
	unsigned char *data = memory_pages(most);
	if (!data)
		return true;
	text_format(name, sizeof(name), "anechoic-%s.cfg", mac);
	if (read_config(m, name, data, most) == EFI_NOT_FOUND &&
		read_config(m, "anechoic.cfg", data, most) == EFI_NOT_FOUND)
		say(m, "it gives no %s and no anechoic.cfg\n", name);
	return true;
}
