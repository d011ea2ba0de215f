"""Everyday calls of the stock client of m1n1 against whatever M1N1DEVICE names; the last line says how it went.

Arguments: the ADT cpu-ids of the secondaries and their MPIDRs, index=mpidr.
"""

import sys

from m1n1.setup import *

MPIDR, TPIDR_EL0 = (3, 0, 0, 0, 5), (3, 3, 13, 0, 2)
MRS_MPIDR_RET = bytes.fromhex("a00038d5c0035fd6")
NO_REGISTER = (3, 7, 15, 15, 7)


def check(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: {got!r}, wanted {wanted!r}")


def raises(what, call):
    try:
        call()
    except (ProxyError, UartRemoteError):
        return
    sys.exit(f"{what}: no error")


buf = u.malloc(0x8000)
for width, value in ((8, 0x0123456789ABCDEF), (4, 0x89ABCDEF), (2, 0xCDEF), (1, 0xEF)):
    getattr(p, f"write{8 * width}")(buf, value)
    check(f"read{8 * width}", getattr(p, f"read{8 * width}")(buf), value)
data = bytes(i * 7 % 251 for i in range(0x8000))
iface.writemem(buf, data)
check("readmem", iface.readmem(buf, len(data)), data)

boot = u.mrs(MPIDR)
u.msr(TPIDR_EL0, 0x1122334455667788)
check("msr, mrs", u.mrs(TPIDR_EL0), 0x1122334455667788)
check("inst", u.inst("add x0, x0, x1", 3, 4), 7)
raises("mrs of no register", lambda: u.mrs(NO_REGISTER, silent=True))

p.set_exc_guard(GUARD.MARK | GUARD.SILENT)
check("guarded read", p.read32(0x10), 0xABAD1DEA)
check("exceptions", p.get_exc_count(), 1)
p.set_exc_guard(GUARD.OFF)
raises("readmem of nothing", lambda: iface.readmem(0x10, 16))
p.nop()

p.smp_set_wfe_mode(True)
p.smp_start_secondaries()
code = u.malloc(0x4000)
iface.writemem(code, MRS_MPIDR_RET)
p.dc_cvau(code, len(MRS_MPIDR_RET))
p.ic_ivau(code, len(MRS_MPIDR_RET))
check("call", p.call(code | REGION_RX_EL1), boot)
for arg in sys.argv[1:]:
    index, mpidr = (int(x, 0) for x in arg.split("="))
    check(f"CPU {index} alive", p.smp_is_alive(index), 1)
    p.mmu_init_secondary(index)
    check(f"CPU {index}", p.smp_call_sync(index, code | REGION_RX_EL1), mpidr)
print("all calls passed")
