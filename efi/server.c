/* SPDX-License-Identifier: MIT */
/* Whether this image came over the network, and what its server gives and takes. */
#include "efi/server.h"

#include <string.h>

#include "lib/boot_option.h"
#include "lib/text.h"

static const struct transfer *way; /* NULL: none */
static struct boot_server server;
static const char *why_not = ""; /* NULL: it is usable; "": not by network at all */
static char mac[MAC_TEXT];
static bool silent; /* it did not answer: nothing is asked again */

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

/* The path of a file there, if anything is asked there any more. */
static EFI_STATUS path_there(const char *name, char path[SERVER_PATH])
{
	if (silent)
		return EFI_NO_RESPONSE;
	return boot_server_path(&server, name, path) ? EFI_SUCCESS : EFI_INVALID_PARAMETER;
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
	why_not = http_open(&server, &way);
	if (why_not && !*why_not)
		why_not = tftp_open(&server, &way);
	if (why_not)
		return;
	text_format(m->server, sizeof(m->server), "%s by %s", server.shown, way->name);
	say(m, "\nthe boot server is %s\n", m->server);
}

const char *server_results(struct machine *m)
{
	static struct transfer guarded = { .get = get, .put = put };

	if (!way)
		return why_not;
	guarded.name = way->name;
	return server_files_try(m, &guarded, mac);
}

/* A configuration of that name. */
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
