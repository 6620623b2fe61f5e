/* SPDX-License-Identifier: MIT */
/* What the ways to a server share. */
#include "efi/server.h"

char server_said[64];

static EFI_EVENT timer;

EFI_STATUS server_clock_start(UINTN bytes)
{
	EFI_STATUS status = timer
		? EFI_SUCCESS
		: fw.boot->CreateEvent(EVT_TIMER, TPL_CALLBACK, NULL, NULL, &timer);

	if (EFI_ERROR(status))
		return status;
	fw.boot->CheckEvent(timer); /* it may have run out for the file before */
	return fw.boot->SetTimer(timer, TimerRelative,
		(SERVER_SECONDS + bytes / SERVER_PACE) * 10000000ULL);
}

/* CheckEvent takes the signal away: it is kept. */
bool server_is_late(void)
{
	if (EFI_ERROR(fw.boot->CheckEvent(timer)))
		return false;
	fw.boot->SignalEvent(timer);
	return true;
}

EFI_SERVICE_BINDING *server_service(EFI_GUID *guid)
{
	EFI_DEVICE_PATH *path = path_of(fw.loaded->DeviceHandle);
	EFI_HANDLE card;

	if (!path || EFI_ERROR(fw.boot->LocateDevicePath(guid, &path, &card)))
		return NULL;
	return protocol_of(card, guid);
}
