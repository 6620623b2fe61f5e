/* SPDX-License-Identifier: MIT */
/*
 * Files by TFTP: the PXE base code of the network card that this image came by (UEFI 2.10, 24.3).
 * EDK II sends a packet 6 times, 4 s apart, before it says that a server does not answer. Its other
 * calls have no end: the callback ends a file that is too long, or that takes too long.
 */
#include "efi/server.h"

#include <string.h>

#include "lib/text.h"

/*
 * Bytes of data in a packet that is read: what fits into any Ethernet frame. EDK II (2022.11) jumps
 * into nowhere when a server confirms a size for a file that is written: that stays at 512.
 */
#define BLOCK 1428

/* EFI_PXE_BASE_CODE_TFTP_ERROR.ErrorCode (RFC 1350). */
enum { NO_FILE = 1, DISK_FULL = 3 };

static EFI_GUID base_code = EFI_PXE_BASE_CODE_PROTOCOL_GUID;
static EFI_GUID callback_guid = EFI_PXE_BASE_CODE_CALLBACK_PROTOCOL_GUID;

static EFI_PXE_BASE_CODE *pxe;
static EFI_IP_ADDRESS address;
static UINTN came, most; /* bytes of packets */

static EFI_PXE_BASE_CODE_CALLBACK_STATUS EFIAPI watch(EFI_PXE_BASE_CODE_CALLBACK *this,
	EFI_PXE_BASE_CODE_FUNCTION function, BOOLEAN received, UINT32 bytes,
	EFI_PXE_BASE_CODE_PACKET *packet)
{
	came += bytes;
	return came > most || server_is_late() ? EFI_PXE_BASE_CODE_CALLBACK_STATUS_ABORT
					       : EFI_PXE_BASE_CODE_CALLBACK_STATUS_CONTINUE;
}

/* Where another callback stands already, or the base code calls none, EDK II's patience is left. */
static void set_callback(void)
{
	static EFI_PXE_BASE_CODE_CALLBACK callback = { EFI_PXE_BASE_CODE_CALLBACK_PROTOCOL_REVISION,
		watch };
	BOOLEAN yes = TRUE;

	if (!EFI_ERROR(fw.boot->InstallProtocolInterface(&fw.loaded->DeviceHandle, &callback_guid,
		    EFI_NATIVE_INTERFACE, &callback)))
		pxe->SetParameters(pxe, NULL, NULL, NULL, NULL, &yes);
}

/* The server's own word for it. */
static EFI_STATUS refusal(void)
{
	const EFI_PXE_BASE_CODE_TFTP_ERROR *e = &pxe->Mode->TftpError;
	size_t n = 0;

	while (n < sizeof(server_said) - 1 && e->ErrorString[n] >= ' ' && e->ErrorString[n] <= '~')
		n++;
	memcpy(server_said, e->ErrorString, n);
	server_said[n] = 0;
	return e->ErrorCode == NO_FILE      ? EFI_NOT_FOUND
		: e->ErrorCode == DISK_FULL ? EFI_VOLUME_FULL
					    : EFI_ACCESS_DENIED;
}

static EFI_STATUS transfer(EFI_PXE_BASE_CODE_TFTP_OPCODE what, const char *path, void *data,
	UINTN *n)
{
	UINT64 bytes = *n;
	UINTN size = BLOCK, *block = what == EFI_PXE_BASE_CODE_TFTP_WRITE_FILE ? NULL : &size;

	came = 0;
	most = 2 * *n + 64 * 1024; /* with the heads of packets, and some sent twice */
	server_said[0] = 0;
	EFI_STATUS status = server_clock_start(*n);
	if (EFI_ERROR(status))
		return status;
	pxe->Mode->TftpErrorReceived = FALSE;
	status = pxe->Mtftp(pxe, what, data, TRUE, &bytes, block, &address, (UINT8 *)path, NULL,
		FALSE);
	*n = bytes;
	if (status == EFI_TFTP_ERROR || (EFI_ERROR(status) && pxe->Mode->TftpErrorReceived))
		return refusal();
	if (EFI_ERROR(status) && came > most)
		return EFI_BUFFER_TOO_SMALL;
	return EFI_ERROR(status) && status != EFI_BUFFER_TOO_SMALL ? EFI_TIMEOUT : status;
}

static EFI_STATUS get(const char *path, void *data, UINTN *n)
{
	return transfer(EFI_PXE_BASE_CODE_TFTP_READ_FILE, path, data, n);
}

static EFI_STATUS put(const char *path, const void *data, UINTN n)
{
	return transfer(EFI_PXE_BASE_CODE_TFTP_WRITE_FILE, path, (void *)data, &n);
}

/* The answer that named the file: of the boot server, of a proxy, or of DHCP itself. */
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
			return NULL;
	}
	return why;
}

const char *tftp_open(struct boot_server *s, const struct transfer **way)
{
	static const struct transfer tftp = { "TFTP", get, put };

	if (EFI_ERROR(fw.boot->HandleProtocol(fw.loaded->DeviceHandle, &base_code,
		    (void **)&pxe)) ||
		!pxe->Mode || !pxe->Mode->Started)
		return "";
	const char *why = pxe->Mode->UsingIpv6 ? "this program has no TFTP over IPv6"
					       : read_answers(pxe->Mode, s);
	if (why)
		return why;
	memcpy(address.v4.Addr, s->ip, sizeof(s->ip));
	set_callback();
	*way = &tftp;
	return NULL;
}
