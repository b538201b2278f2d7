// Tests of the states that the core may be in when an interrupt occurs during the main loop.

import CBridgeFirmware
import TestSupport
import Testing
import VirtualBoard

@Suite struct InterruptTests {
    /// Checks a stream that is being opened or closed: it still has writes, but no actuators.
    @Test func writesOfAStreamWithoutActuatorsAreNotTaken() {
        let bench = Bench(.tested { $0.actuators = 3 })
        bench.connect()
        bench.load([0xB1, 40, 100, 0xB1, 40, 50, 0x00])
        bench.start(at: bench.now + 20_000)
        bench.run(to: bench.now + 15_000)
        let core = bench.board.core
        #expect(core.pointee.streams.0.writes.head != core.pointee.streams.0.writes.tail)
        #expect(bridge_next_write(core) != nil)
        let actuators = core.pointee.streams.0.actuators
        core.pointee.streams.0.actuators = 0
        #expect(bridge_next_write(core) == nil)
        core.pointee.streams.0.actuators = actuators
        #expect(bridge_next_write(core) != nil)
    }
}
