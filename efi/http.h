/* SPDX-License-Identifier: MIT */
/* The firmware's HTTP (UEFI 2.10, section 29.6), which the GNU-EFI headers lack. */
#ifndef EFI_HTTP_H
#define EFI_HTTP_H

#include <efi.h>

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

#endif
