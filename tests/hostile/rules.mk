# SPDX-License-Identifier: MIT
# build/hostile.efi: a firmware that misbehaves on demand, in front of the image. Linked as the image is.

HOSTILE := $(addprefix $B/,$(call objects,$(call c,tests/hostile)) efi/crt0.o kernel/libc.o)
TOOLS   += $B/hostile.efi

$B/tests/hostile/%.o: FLAGS = $(FREE) $(EFI)

$B/hostile/unmoved.elf: linker/image.lds $(HOSTILE)
	@mkdir -p $(@D)
	$(call say,LD $@)$(IMAGE) -o $@ $(filter %.o,$^)

$B/hostile/reloc.S: $B/hostile/unmoved.elf linker/reloc.awk
	$(call say,AWK $@)readelf -rW $< | LC_ALL=C awk -f linker/reloc.awk >$@

$B/hostile/reloc.o: $B/hostile/reloc.S
	$(call say,AS $<)$(CC) -c -o $@ $<

$B/hostile/image.elf: linker/image.lds $(HOSTILE) $B/hostile/reloc.o
	$(call say,LD $@)$(IMAGE) -o $@ $(filter %.o,$^)

$B/hostile.efi: $B/hostile/image.elf
	$(call say,OBJCOPY $@)objcopy -O binary -j .header -j .text -j .loops -j .rodata -j .sbat -j .data -j .reloc $< $@
