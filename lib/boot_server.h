/* SPDX-License-Identifier: MIT */
/*
 * The server that a network start came from, and the names of files there. All input here came over
 * the network and may be anything: nothing is read beyond the bytes given, and a name is printable
 * ASCII.
 */
#ifndef LIB_BOOT_SERVER_H
#define LIB_BOOT_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAC_BYTES    6
#define MAC_TEXT     18  /* bytes of "52-54-00-12-34-56" */
#define SERVER_PLACE 256 /* bytes of a directory there */
#define SERVER_PATH  (SERVER_PLACE + 128)
#define SERVER_NAME  64 /* bytes of its name as shown */

struct boot_server {
	uint8_t ip[4];            /* with TFTP only */
	char place[SERVER_PLACE]; /* folder of the image: "", "pxe/", "http://10.0.0.1/pxe/" */
	char shown[SERVER_NAME];  /* "10.0.0.1", "http://10.0.0.1"; a longer name is cut */
};

/* Write a card's address in lower case, with dashes. */
void mac_text(char out[MAC_TEXT], const uint8_t mac[MAC_BYTES]);

/*
 * Find the server in the answer of a DHCP server: a BOOTP packet with its options (RFC 951, 2131,
 * 2132). Returns NULL, or why it names no file that TFTP could fetch.
 */
const char *boot_server_by_dhcp(const void *packet, size_t n, struct boot_server *);
/* The router that DHCP names; all 0: none. */
void boot_server_gateway(const void *packet, size_t n, uint8_t ip[4]);
/*
 * Find the server in the address that UEFI's HTTP boot fetched the image from. Returns NULL, or why
 * not. host: its name and port, whole, for a request: "10.0.0.1:8080".
 */
const char *boot_server_by_uri(const char *uri, size_t n, struct boot_server *,
	char host[SERVER_PLACE]);

/* Write the path of a file beside the image. Returns false if it is longer than SERVER_PATH. */
bool boot_server_path(const struct boot_server *, const char *name, char out[SERVER_PATH]);

/*
 * The number of a status code: 404 for EFI_HTTP_STATUS_CODE 21 (UEFI 2.10, section 29.6); 0:
 * unknown.
 */
unsigned http_status_number(unsigned code);
/*
 * Returns true if a TFTP server's words mean that there is no space: "Disk full", "No space left".
 */
bool server_says_full(const char *said);
/*
 * Read the value of HTTP's header Content-Length, whose name may be in any case; LENGTH_UNKNOWN: it
 * is no decimal number, or over 2^53. Another header leaves *out as it is.
 */
#define LENGTH_UNKNOWN UINT64_MAX
void header_length(const char *name, const char *value, uint64_t *out);

#endif
