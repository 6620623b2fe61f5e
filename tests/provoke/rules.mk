# SPDX-License-Identifier: MIT
# build/provoking.efi: the image that raises a fault when its configuration says so. The product's
# objects, linked as the image is, with provoke.c in front of six of its functions.

TOOLS      += $B/provoking.efi
PROVOKING  := $(IMAGE_OBJECTS) $(EFI_OBJECTS) $B/tests/provoke/provoke.o
$B/tests/provoke/%.o: FLAGS = $(FREE) -Os -fcf-protection=branch
$B/provoking/%.elf: IMAGE += --wrap=apic_send_sipi --wrap=config_parse --wrap=dashboard_line --wrap=dashboard_progress --wrap=step_enter --wrap=firmware_cpu_start

$B/provoking/unmoved.elf: linker/image.lds $(PROVOKING)
	@mkdir -p $(@D)
	$(call say,LD $@)$(IMAGE) -o $@ $(filter %.o,$^)

$B/provoking/reloc.S: $B/provoking/unmoved.elf linker/reloc.awk
	$(call say,AWK $@)readelf -rW $< | LC_ALL=C awk -f linker/reloc.awk >$@

$B/provoking/reloc.o: $B/provoking/reloc.S
	$(call say,AS $<)$(CC) -c -o $@ $<

$B/provoking/image.elf: linker/image.lds $(PROVOKING) $B/provoking/reloc.o
	$(call say,LD $@)$(IMAGE) -o $@ $(filter %.o,$^)

$B/provoking.efi: $B/provoking/image.elf
	$(call say,OBJCOPY $@)objcopy -O binary -j .header -j .text -j .loops -j .rodata -j .sbat -j .data -j .reloc $< $@
