/* SPDX-License-Identifier: MIT */
/* Files by HTTP: GET and PUT of the firmware, as its HTTP boot does (UEFI 2.10, 24.7 and 29.6). */
#include <efi.h>
#include <string.h>

#include "efi/server.h"
#include "lib/boot_option.h"
#include "lib/text.h"

/* The firmware's HTTP (UEFI 2.10, section 29.6), which the GNU-EFI headers lack. */

#define HTTP_SERVICE_GUID                                                                          \
	{                                                                                          \
		0xbdc8e6af, 0xd9bc, 0x4379,                                                        \
		{                                                                                  \
			0xa7, 0x2a, 0xe0, 0xc4, 0xe7, 0x5d, 0xae, 0x1c                             \
		}                                                                                  \
	}
#define HTTP_GUID                                                                                  \
	{                                                                                          \
		0x7a59b29b, 0x910b, 0x4171,                                                        \
		{                                                                                  \
			0x82, 0x42, 0xa8, 0x5a, 0x0d, 0xf2, 0x5b, 0x5b                             \
		}                                                                                  \
	}

enum http_method { HTTP_GET = 0, HTTP_PUT = 6 };
enum { HTTP_VERSION_11 = 1 };

struct http_address {
	BOOLEAN use_default;
	EFI_IPv4_ADDRESS local, subnet;
	UINT16 port;
};

struct http_config {
	UINT32 version, timeout_ms;
	BOOLEAN ipv6;
	struct http_address *address;
};

struct http_request {
	UINT32 method;
	CHAR16 *url;
};

struct http_header {
	const char *name, *value;
};

struct http_message {
	union {
		struct http_request *request;
		UINT32 *status; /* EFI_HTTP_STATUS_CODE */
	} data;
	UINTN headers;
	struct http_header *header;
	UINTN bytes;
	void *body;
};

struct http_token {
	EFI_EVENT event;
	EFI_STATUS status;
	struct http_message *message;
};

struct http {
	void *get_mode;
	EFI_STATUS(EFIAPI *configure)(struct http *, struct http_config *);
	EFI_STATUS(EFIAPI *request)(struct http *, struct http_token *);
	EFI_STATUS(EFIAPI *cancel)(struct http *, struct http_token *);
	EFI_STATUS(EFIAPI *response)(struct http *, struct http_token *);
	EFI_STATUS(EFIAPI *poll)(struct http *);
};

static EFI_GUID service_guid = HTTP_SERVICE_GUID, http_guid = HTTP_GUID;

static EFI_SERVICE_BINDING *service;
static struct http *http; /* one for each file */
static struct http_address local;
static char host[SERVER_PLACE];

/* Wait for the transfer under way, at most until the clock has run out. */
static EFI_STATUS wait(struct http_token *t)
{
	for (;;) {
		http->poll(http);
		if (!EFI_ERROR(fw.boot->CheckEvent(t->event)))
			return t->status;
		if (server_is_late()) {
			http->cancel(http, t);
			return EFI_TIMEOUT;
		}
	}
}

static EFI_STATUS run(EFI_STATUS(EFIAPI *what)(struct http *, struct http_token *),
	struct http_message *m)
{
	struct http_token t = { .status = EFI_NOT_READY, .message = m };

	EFI_STATUS status = fw.boot->CreateEvent(0, 0, NULL, NULL, &t.event);
	if (EFI_ERROR(status))
		return status;
	status = what(http, &t);
	if (!EFI_ERROR(status))
		status = wait(&t);
	fw.boot->CloseEvent(t.event);
	return status;
}

static EFI_STATUS begin(UINTN bytes)
{
	struct http_config config = { HTTP_VERSION_11, SERVER_SECONDS * 1000, FALSE, &local };

	EFI_STATUS status = server_begin(service, &http_guid, bytes, (void **)&http);
	return EFI_ERROR(status) ? status : http->configure(http, &config);
}

static EFI_STATUS ask(enum http_method method, const char *url, const void *body, UINTN n)
{
	static CHAR16 wide[SERVER_PATH];
	struct http_request request = { method, wide };
	char length[24];
	struct http_header headers[] = {
		{ "Host", host },
		{ "User-Agent", "anechoic" },
		{ "Content-Length", length },
	};
	struct http_message m = { { &request }, method == HTTP_PUT ? 3 : 2, headers, n,
		(void *)body };

	text_widen(wide, SERVER_PATH, url);
	text_format(length, sizeof(length), "%llu", (unsigned long long)n);
	return run(http->request, &m);
}

/*
 * Bytes of the body by its header, or LENGTH_UNKNOWN. Frees the headers. After an error EDK II has
 * freed them itself, without setting their count to 0.
 */
static UINT64 body_bytes(const struct http_message *m)
{
	UINT64 n = LENGTH_UNKNOWN;

	if (!m->header)
		return n;
	for (UINTN i = 0; i < m->headers; i++) {
		const struct http_header *h = &m->header[i];

		header_length(h->name, h->value, &n);
		fw.boot->FreePool((void *)h->name);
		fw.boot->FreePool((void *)h->value);
	}
	fw.boot->FreePool(m->header);
	return n;
}

/* Receive the head of the answer; *whole: bytes of its body, or LENGTH_UNKNOWN. */
static EFI_STATUS answer(UINT64 *whole)
{
	UINT32 code = 0;
	struct http_message m = { .data.status = &code };

	EFI_STATUS status = run(http->response, &m);
	*whole = body_bytes(&m);
	unsigned number = http_status_number(code);

	if (!number && !m.headers)
		return EFI_ERROR(status) ? status : EFI_PROTOCOL_ERROR;
	if (number)
		text_format(server_said, sizeof(server_said), "HTTP status %u", number);
	else /* for example 507, of a full disk (RFC 4918, 11.5) */
		text_format(server_said, sizeof(server_said), "an HTTP status unknown to UEFI");
	if (number == 404 || number == 410)
		return EFI_NOT_FOUND;
	if (number == 401 || number == 403 || number == 405)
		return EFI_ACCESS_DENIED;
	if (number < 200 || number > 299)
		return EFI_HTTP_ERROR;
	return EFI_ERROR(status) ? status : EFI_SUCCESS; /* for example malformed headers */
}

static EFI_STATUS read_body(char *data, UINTN *n)
{
	UINTN capacity = *n;
	UINT64 whole;

	EFI_STATUS status = answer(&whole);
	*n = 0;
	if (!EFI_ERROR(status) && whole == LENGTH_UNKNOWN) {
		text_format(server_said, sizeof(server_said), "no Content-Length");
		return EFI_ACCESS_DENIED;
	}
	if (!EFI_ERROR(status) && whole > capacity)
		return EFI_BUFFER_TOO_SMALL;
	while (!EFI_ERROR(status) && *n < whole) {
		struct http_message m = { .bytes = whole - *n, .body = data + *n };

		status = run(http->response, &m);
		*n += m.bytes;
		if (!m.bytes)
			return EFI_PROTOCOL_ERROR;
	}
	return status;
}

static EFI_STATUS get(const char *path, void *data, UINTN *n)
{
	EFI_STATUS status = begin(*n);

	if (!EFI_ERROR(status))
		status = ask(HTTP_GET, path, NULL, 0);
	if (!EFI_ERROR(status))
		status = read_body(data, n);
	server_end(service);
	return status;
}

static EFI_STATUS put(const char *path, const void *data, UINTN n)
{
	UINT64 whole;

	EFI_STATUS status = begin(n);
	if (!EFI_ERROR(status))
		status = ask(HTTP_PUT, path, data, n);
	if (!EFI_ERROR(status))
		status = answer(&whole);
	server_end(service);
	return status;
}

/* Take the address that the firmware has by DHCP from the path of the device. */
static bool find_address(const void *path)
{
	size_t n;
	const IPv4_DEVICE_PATH *node =
		device_path_node(path, PATH_MOST, MESSAGING_DEVICE_PATH, MSG_IPv4_DP, &n);

	if (!node || n < offsetof(IPv4_DEVICE_PATH, SubnetMask) + sizeof(node->SubnetMask))
		return false;
	local.local = node->LocalIpAddress;
	local.subnet = node->SubnetMask;
	return true;
}

const char *http_open(struct boot_server *s, const struct server_transfer **way)
{
	static const struct server_transfer http_way = { "HTTP", get, put };
	const size_t head = sizeof(EFI_DEVICE_PATH);
	EFI_DEVICE_PATH *path = path_of(fw.loaded->DeviceHandle);
	size_t n;

	if (!path)
		return "";
	const char *uri = device_path_node(path, PATH_MOST, MESSAGING_DEVICE_PATH, MSG_URI_DP, &n);
	if (!uri)
		return "";
	const char *why = boot_server_by_uri(uri + head, n - head, s, host);
	if (why)
		return why;
	if (!find_address(path))
		return "this program has no HTTP over IPv6";
	service = server_service(&service_guid);
	if (!service)
		return "the firmware has no HTTP for programs";
	*way = &http_way;
	return NULL;
}
