/* SPDX-License-Identifier: MIT */
/* The firmware's TFTP (UEFI 2.10, section 30.3), which the GNU-EFI headers lack. */
#ifndef EFI_MTFTP4_H
#define EFI_MTFTP4_H

#include <efi.h>

#define MTFTP4_SERVICE_GUID                                                                        \
	{                                                                                          \
		0x2fe800be, 0x8f01, 0x4aa6,                                                        \
		{                                                                                  \
			0x94, 0x6b, 0xd7, 0x13, 0x88, 0xe1, 0x83, 0x3f                             \
		}                                                                                  \
	}
#define MTFTP4_GUID                                                                                \
	{                                                                                          \
		0x78247c57, 0x63db, 0x4708,                                                        \
		{                                                                                  \
			0x99, 0xc2, 0xa8, 0xb4, 0xa9, 0xa6, 0x1f, 0x6b                             \
		}                                                                                  \
	}

struct mtftp4_config {
	BOOLEAN use_default;
	EFI_IPv4_ADDRESS station, subnet;
	UINT16 local_port;
	EFI_IPv4_ADDRESS gateway, server;
	UINT16 server_port, tries, timeout_s;
};

struct mtftp4_option {
	const char *name, *value;
};

struct mtftp4_token {
	EFI_STATUS status;
	EFI_EVENT event;
	void *override;
	const char *path, *mode;
	UINT32 options;
	const struct mtftp4_option *option;
	UINT64 bytes;
	void *data, *context;
	/* Packets as they came, in network order. */
	EFI_STATUS(EFIAPI *check)(void *, struct mtftp4_token *, UINT16 bytes, const UINT8 *packet);
	void *timeout, *packet_needed;
};

struct mtftp4 {
	void *get_mode;
	EFI_STATUS(EFIAPI *configure)(struct mtftp4 *, struct mtftp4_config *);
	void *get_info, *parse_options;
	EFI_STATUS(EFIAPI *read_file)(struct mtftp4 *, struct mtftp4_token *);
	EFI_STATUS(EFIAPI *write_file)(struct mtftp4 *, struct mtftp4_token *);
	void *read_directory;
	EFI_STATUS(EFIAPI *poll)(struct mtftp4 *);
};

#endif
