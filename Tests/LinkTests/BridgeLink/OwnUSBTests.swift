// Tests of boards with native USB. No baud rate limits the pace of the host, and the boards'
// buffers are much larger.

import CBridgeProtocol
import HapticCompiler
import TestSupport
import Testing

@testable import BridgeLink

@Suite struct OwnUSBTests {
    /// Returns a line to a Pico that consumes `pace` event bytes per millisecond.
    private func link(memory: UInt16, window: UInt16 = 4_096, pace: Int = 30) -> ModelDeviceLink {
        var line = ModelDeviceLink()
        line.device.kind = .pico
        line.device.memory = memory
        line.device.linkWindow = window
        line.device.pace = pace
        line.connect()
        return line
    }

    private func events(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    }

    @Test func onlyBoardsWithAnAdapterArePacedByARate() {
        for kind in [BoardKind.unknown, .virtual, .unoNano, BoardKind(rawValue: 99)] {
            #expect(!kind.hasOwnUSB, "\(kind)")
        }
        #expect(BoardKind.pico.hasOwnUSB && BoardKind.tiny2350.hasOwnUSB)
        var line = ModelDeviceLink()
        line.connect()
        #expect(line.session.unsentLimit == 128)
        #expect(link(memory: 512).session.unsentLimit == 1_280)
    }

    @Test func aFullFrameLeavesInAMillisecond() {
        var line = link(memory: 16_384)
        line.playback = Playback(events: events(8_000), actuators: ActuatorMask(index: 0))
        line.playback?.begin(&line.session, at: line.now)
        line.run(milliseconds: 3)
        let before = line.device.eventBytes.count
        line.run(milliseconds: 4)
        #expect(line.device.eventBytes.count - before > 3_000)
        #expect(line.unsentMax <= 1_280)
    }

    @Test func aStreamIsStartedBeforeALargeMemoryIsFull() {
        var line = link(memory: 16_384)
        line.playback = Playback(events: events(15_000), actuators: ActuatorMask(index: 0))
        line.playback?.begin(&line.session, at: line.now)
        let starts = line.run(milliseconds: 100) { line in
            line.device.carriedOut.contains { if case .start = $0 { true } else { false } }
        }
        #expect(starts && (1_024..<4_000).contains(line.device.eventBytes.count))
    }

    @Test(arguments: [32_768, 65_535] as [UInt16])
    func theLargestMemoryAndWindowAreUsed(size: UInt16) {
        var line = link(memory: size, window: size, pace: 100)
        let all = events(200_000)
        line.streamEnd = all.count
        line.playback = Playback(events: all, actuators: ActuatorMask(index: 0))
        line.playback?.begin(&line.session, at: line.now)
        var most = 0
        for _ in 0..<5_000 where line.playback?.outcome == nil {
            line.run(milliseconds: 1)
            most = max(most, line.session.eventCredit(stream: 0))
        }
        #expect(line.device.eventBytes == all && !line.device.hasCreditError)
        #expect(most > Int(size) / 2 && line.session.statistics.resendsAsked == 0)
    }
}
