#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The rest of storeload_stated.bats: other machines, both rooms of layer b, machines that state nothing.

load storeload_stated

@test "one that waits, one that renames, in both rooms of layer b: each row, each value" {
	in_both_rooms probes/storeload/waits.ini
	in_both_rooms probes/storeload/renames.ini
}

@test "a machine without the table: nothing is made up" {
	local none='store_forward_fail_cycles alias_4k_cycles split_line_cycles split_page_cycles' want
	for name in mutations/quick cpus/small cpus/zen cpus/coarse cpus/noisy cpus/line128 \
		cpus/no-predictor cpus/few-entries cpus/skylake-sp; do
		case $name in # two pages of 2 MiB are more than a TLB of one entry holds
		*/few-entries) want=${none% *} ;;
		*/skylake-sp) want='split_line_cycles split_page_cycles' ;;
		*) want=$none ;;
		esac
		unstated tests/kam/$name.ini
		measured "$ini"
		[ "$(unresolved)" = "$want" ] || { echo "$name: expected '$want', came '$(unresolved)'"; return 1; }
	done
}
