/* SPDX-License-Identifier: MIT */
/*
 * Files by TFTP: MTFTP4 of the network card that this image came by, with PXE's addresses. The PXE
 * base code has calls for files, too, but in EDK II (2022.11) the writing call faults if a server
 * refuses.
 */
#include <efi.h>
#include <string.h>

#include "efi/server.h"

/* The firmware's TFTP (UEFI 2.10, section 30.3), which the GNU-EFI headers lack. */

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
	/* Called with each packet as it came, in network order. */
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

#define PORT         69
#define TRIES        5 /* most sendings of a packet */
#define TRY_SECONDS  3 /* between them */
#define ERROR_PACKET 5 /* RFC 1350: its code, its text */
#define ERROR_TEXT   4
enum { NO_FILE = 1, DISK_FULL = 3 };

static EFI_GUID base_code = EFI_PXE_BASE_CODE_PROTOCOL_GUID;
static EFI_GUID service_guid = MTFTP4_SERVICE_GUID, mtftp4_guid = MTFTP4_GUID;

static EFI_SERVICE_BINDING *service;
static struct mtftp4_config addresses;
static UINTN came, most;   /* bytes of packets that came, and the most that may */
static EFI_STATUS refusal; /* the server's refusal; EFI_SUCCESS: none */

/* Note the server's own words for its refusal. */
static void note_refusal(const UINT8 *packet, UINTN bytes)
{
	unsigned code = packet[3];
	UINTN n = 0;

	while (ERROR_TEXT + n < bytes && n < sizeof(server_said) - 1 &&
		packet[ERROR_TEXT + n] >= ' ' && packet[ERROR_TEXT + n] <= '~')
		n++;
	memcpy(server_said, packet + ERROR_TEXT, n);
	server_said[n] = 0;
	refusal = code == DISK_FULL || server_says_full(server_said) ? EFI_VOLUME_FULL
		: code == NO_FILE                                    ? EFI_NOT_FOUND
								     : EFI_ACCESS_DENIED;
}

/*
 * Count packets, and stop when too many came: EDK II reads on after the buffer is full, to find the
 * file's length, and a file may have no end.
 */
static EFI_STATUS EFIAPI check(void *this, struct mtftp4_token *t, UINT16 bytes,
	const UINT8 *packet)
{
	came += bytes;
	if (bytes >= ERROR_TEXT && packet[0] == 0 && packet[1] == ERROR_PACKET)
		note_refusal(packet, bytes);
	return came > most ? EFI_ABORTED : EFI_SUCCESS;
}

static EFI_STATUS wait(struct mtftp4 *mtftp4, struct mtftp4_token *t)
{
	while (EFI_ERROR(fw.boot->CheckEvent(t->event))) {
		if (server_is_late())
			return EFI_TIMEOUT;
		mtftp4->poll(mtftp4);
	}
	return t->status;
}

static EFI_STATUS transfer(struct mtftp4 *mtftp4, struct mtftp4_token *t, bool writes)
{
	EFI_STATUS status = mtftp4->configure(mtftp4, &addresses);

	if (EFI_ERROR(status))
		return status;
	status = fw.boot->CreateEvent(0, 0, NULL, NULL, &t->event);
	if (EFI_ERROR(status))
		return status;
	status = writes ? mtftp4->write_file(mtftp4, t) : mtftp4->read_file(mtftp4, t);
	if (!EFI_ERROR(status))
		status = wait(mtftp4, t);
	mtftp4->configure(mtftp4, NULL); /* ends all transfers */
	fw.boot->CloseEvent(t->event);
	return status;
}

static EFI_STATUS run(struct mtftp4_token *t, bool writes)
{
	struct mtftp4 *mtftp4;

	came = 0;
	most = 2 * t->bytes + 64 * 1024; /* packets have heads, and some are sent twice */
	refusal = EFI_SUCCESS;
	EFI_STATUS status = server_begin(service, &mtftp4_guid, t->bytes, (void **)&mtftp4);
	if (!EFI_ERROR(status))
		status = transfer(mtftp4, t, writes);
	server_end(service);
	if (EFI_ERROR(refusal))
		return refusal;
	return EFI_ERROR(status) && came > most ? EFI_BUFFER_TOO_SMALL : status;
}

static EFI_STATUS get(const char *path, void *data, UINTN *n)
{
	static const struct mtftp4_option large = { "blksize", "1428" }; /* fits into a frame */
	struct mtftp4_token t = { .path = path,
		.options = 1,
		.option = &large,
		.bytes = *n,
		.data = data,
		.check = check };
	EFI_STATUS status = run(&t, false);

	*n = t.bytes;
	return status;
}

static EFI_STATUS put(const char *path, const void *data, UINTN n)
{
	struct mtftp4_token t = { .path = path, .bytes = n, .data = (void *)data, .check = check };

	return run(&t, true);
}

/* Read the answer that named the file: of the boot server, of a proxy, or of DHCP itself. */
static const char *read_answers(const EFI_PXE_BASE_CODE_MODE *mode, struct boot_server *s)
{
	const struct {
		BOOLEAN came;
		const EFI_PXE_BASE_CODE_PACKET *packet;
	} answers[] = {
		{ mode->PxeReplyReceived, &mode->PxeReply },
		{ mode->ProxyOfferReceived, &mode->ProxyOffer },
		{ mode->DhcpAckReceived, &mode->DhcpAck },
	};
	const char *why = "the firmware does not say what DHCP answered";

	for (unsigned i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
		if (!answers[i].came)
			continue;
		why = boot_server_by_dhcp(answers[i].packet, sizeof(*answers[i].packet), s);
		if (!why)
			break;
	}
	boot_server_gateway(&mode->DhcpAck, sizeof(mode->DhcpAck), addresses.gateway.Addr);
	return why;
}

const char *tftp_open(struct boot_server *s, const struct server_transfer **way)
{
	static const struct server_transfer tftp = { "TFTP", get, put };
	EFI_PXE_BASE_CODE *pxe = protocol_of(fw.loaded->DeviceHandle, &base_code);

	if (!pxe || !pxe->Mode || !pxe->Mode->Started)
		return "";
	const char *why = pxe->Mode->UsingIpv6 ? "this program has no TFTP over IPv6"
					       : read_answers(pxe->Mode, s);
	if (why)
		return why;
	service = server_service(&service_guid);
	if (!service)
		return "the firmware has no TFTP for programs";
	addresses.station = pxe->Mode->StationIp.v4;
	addresses.subnet = pxe->Mode->SubnetMask.v4;
	memcpy(addresses.server.Addr, s->ip, sizeof(s->ip));
	addresses.server_port = PORT;
	addresses.tries = TRIES;
	addresses.timeout_s = TRY_SECONDS;
	*way = &tftp;
	return NULL;
}
