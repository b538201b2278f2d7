import CDRV2605Model
import Testing

/// The values of CONTROL2 and CONTROL3 for an ERM or an LRA, a value of RTP_INPUT, and the drive
/// that the data sheet specifies for these values.
struct RTPRow: CustomTestStringConvertible {
    var name: String
    var feedback: UInt8 = 0xB6
    var control2: UInt8
    var control3: UInt8
    var input: UInt8
    var drive: Int16

    var testDescription: String { "\(name), input \(String(input, radix: 16)) -> \(drive)" }

    static let table: [RTPRow] =
        rows(
            "LRA open signed", 0xB6, 0xF5, 0x81,
            [0x00: 0, 0x7F: 255, 0x40: 129, 0x01: 2, 0x81: -255, 0x80: -255, 0xC0: -129])
        + rows(
            "LRA open unsigned", 0xB6, 0xF5, 0x89,
            [0x7F: 0, 0xFF: 255, 0xBF: 128, 0x80: 2, 0x00: -255, 0x3F: -129])
        + rows("ERM open signed", 0x36, 0xF5, 0xA0, [0x00: 0, 0x7F: 255, 0x81: -255])
        + rows("ERM open unsigned", 0x36, 0xF5, 0xA8, [0x7F: 0, 0xFF: 255, 0x00: -255])
        + rows("LRA closed signed", 0xB6, 0xF5, 0x80, [0x00: 0, 0x7F: 255, 0x40: 129, 0x81: 0])
        + rows("LRA closed unsigned", 0xB6, 0xF5, 0x88, [0x7F: 0, 0xFF: 255, 0x7E: 0, 0x00: 0])
        + rows(
            "LRA closed unidirectional", 0xB6, 0x75, 0x88,
            [0x00: 0, 0x01: 1, 0x7F: 127, 0x80: 128, 0xFF: 255])
        + rows("ERM closed unidirectional", 0x36, 0x75, 0x88, [0x00: 0, 0x7F: 127, 0xFF: 255])

    static func rows(
        _ name: String, _ feedback: UInt8, _ control2: UInt8, _ control3: UInt8,
        _ drives: KeyValuePairs<UInt8, Int16>
    ) -> [RTPRow] {
        drives.map {
            RTPRow(
                name: name, feedback: feedback, control2: control2, control3: control3,
                input: $0.key, drive: $0.value)
        }
    }
}

@Suite("Real-time playback of the chip model")
struct RealTimePlaybackTests {
    @Test("RTP_INPUT is decoded by loop, direction and format", arguments: RTPRow.table)
    func formats(row: RTPRow) {
        let chip = Chip()
        chip.write(0x1A, row.feedback)
        chip.write(0x1C, row.control2, row.control3)
        chip.write(0x01, 0x05)
        chip.write(0x02, row.input)
        #expect(chip.drive == row.drive)
        #expect(chip.isDriving == (row.drive != 0))
        #expect(chip.model.undefined_accesses == 0)
    }

    @Test(
        "formats that are not in the data sheet's table are counted",
        arguments: [
            (UInt8(0x75), UInt8(0x80)),  // closed, unidirectional, signed
            (0x75, 0x81), (0x75, 0x89),  // open, unidirectional
        ])
    func undefinedFormats(control2: UInt8, control3: UInt8) {
        let chip = Chip()
        chip.write(0x1A, 0xB6)
        chip.write(0x1C, control2, control3)
        chip.write(0x01, 0x05)
        #expect(chip.model.undefined_accesses == 1)
    }

    @Test("the chip drives the last value indefinitely")
    func holdsForever() {
        let chip = Chip()
        chip.enterRealTimePlayback()
        chip.write(0x02, 0x40)
        chip.now += 3_600_000_000
        #expect(chip.drive == 0x40)
        #expect(chip.nextChange == UInt64.max)
    }

    @Test("entering the mode with a stale value in RTP_INPUT drives immediately and is counted")
    func staleStart() {
        let chip = Chip()
        chip.enterRealTimePlayback()
        chip.write(0x02, 0x80)
        chip.write(0x01, 0x40)
        chip.write(0x01, 0x05)
        #expect(chip.drive == 0x80)
        #expect(chip.model.stale_rtp_starts == 1)
    }

    @Test(
        "entering the mode with RTP_INPUT zeroed is not counted, nor is rewriting MODE during playback"
    )
    func freshStart() {
        let chip = Chip()
        chip.enterRealTimePlayback()
        chip.write(0x02, 0x80)
        chip.write(0x01, 0x05)
        #expect(chip.model.stale_rtp_starts == 0)
    }

    @Test("zero is a stale value in formats in which it means full reverse")
    func staleReverse() {
        let chip = Chip()
        chip.write(0x1A, 0xB6)
        chip.write(0x1C, 0xF5, 0x89)
        chip.write(0x02, 0x00)
        chip.write(0x01, 0x05)
        #expect(chip.drive == -255)
        #expect(chip.model.stale_rtp_starts == 1)
    }

    @Test("the GO bit remains clear, and setting it is counted")
    func goBit() {
        let chip = Chip()
        chip.enterRealTimePlayback()
        chip.write(0x02, 0xFF)
        #expect(chip.read(0x0C) == 0x00)
        chip.write(0x0C, 0x01)
        #expect(chip.read(0x0C) == 0x00)
        #expect(chip.drive == 255)
        #expect(chip.model.undefined_accesses == 1)
        #expect(chip.model.last_undefined_register == 0x0C)
    }

    @Test("HI_Z disables the output")
    func highImpedance() {
        let chip = Chip()
        chip.enterRealTimePlayback()
        chip.write(0x02, 0xFF)
        chip.write(0x03, 0x16)
        #expect(chip.drive == 0)
        chip.write(0x03, 0x06)
        #expect(chip.drive == 255)
    }

    @Test(
        "modes without a modeled drive are stored and counted, and do not drive",
        arguments: [UInt8(1), 2, 3, 4])
    func unmodelledModes(mode: UInt8) {
        let chip = Chip()
        chip.write(0x02, 0x7F)
        chip.write(0x01, mode)
        #expect(chip.read(0x01) == mode)
        #expect(chip.drive == 0)
        #expect(chip.model.unmodelled_modes == 1)
        chip.write(0x0C, 0x01)
        #expect(chip.read(0x0C) == 0x00)
        #expect(chip.model.unmodelled_modes == 2)
    }

    @Test("a DRV2605 cannot drive an LRA in open loop over I2C")
    func openLoopWithoutClock() {
        let chip = Chip(id: Chip.drv2605)
        chip.write(0x1A, 0xB6)
        chip.write(0x1D, 0x81)
        chip.write(0x01, 0x05)
        chip.write(0x02, 0x7F)
        #expect(chip.drive == 0)
        #expect(chip.model.unmodelled_modes > 0)
    }

    @Test("the carrier of an open-loop LRA follows OL_LRA_PERIOD")
    func carrier() {
        let chip = Chip()
        #expect(chip.carrier == 0)
        chip.write(0x1A, 0xB6)
        chip.write(0x1D, 0x81)
        #expect(chip.carrier == 199_145)
        chip.write(0x20, 60)
        #expect(chip.carrier == 169_273)
        chip.write(0x1D, 0x80)
        #expect(chip.carrier == 0)
    }

    @Test("VBAT and LRA_PERIOD contain values only while the chip drives")
    func measurements() {
        let chip = Chip()
        chip.model.supply_mv = 3_300
        chip.enterRealTimePlayback()
        #expect(chip.read(0x21, count: 2) == [0, 0])
        chip.write(0x02, 0x10)
        #expect(chip.read(0x21, count: 2) == [150, 60])
        chip.model.resonance_millihertz = 235_000
        #expect(chip.read(0x22) == 43)
        chip.write(0x02, 0x00)
        #expect(chip.read(0x21, count: 2) == [0, 0])
    }

    @Test("LRA_PERIOD remains zero for an ERM and in open loop")
    func periodNeedsTracking() {
        let chip = Chip()
        chip.write(0x01, 0x05)
        chip.write(0x02, 0x7F)
        #expect(chip.isDriving)
        #expect(chip.read(0x22) == 0)
        chip.write(0x1A, 0xB6)
        chip.write(0x1D, 0x81)
        #expect(chip.isDriving)
        #expect(chip.read(0x22) == 0)
    }
}
