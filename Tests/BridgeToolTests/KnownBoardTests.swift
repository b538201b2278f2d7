// Tests of the boards that the tool supports: their pins, and the documents that list the boards.

import BridgeLink
import Foundation
import HapticBridge
import TestSupport
import Testing

@testable import BoardFlashing

@Suite struct KnownBoardTests {
    private static let boards = RP2040Pins.boards

    @Test func namesAndKindsAreEachABoards() {
        let names = KnownBoard.all.map(\.name)
        #expect(Set(names).count == names.count && names.starts(with: ["uno", "nano", "nano-old"]))
        #expect(Set(Self.boards.map(\.kind)).count == Self.boards.count)
        for board in KnownBoard.all { #expect(board.kind.isKnown && board.kind != .unknown) }
    }

    /// Checks the functions of the GPIOs (RP2040 data sheet 1.4.3): SDA of I2C0 is on a GPIO whose
    /// number is a multiple of 4, SDA of I2C1 is two GPIOs higher, and each SCL is on the next GPIO
    /// after the SDA.
    @Test(arguments: 0..<RP2040Pins.boards.count)
    func thePinsOfTheBusAreThoseOfItsI2C(index: Int) {
        let pins = Self.boards[index].pins
        #expect(pins.sda.gpio % 4 == pins.i2c * 2 && pins.scl.gpio == pins.sda.gpio + 1)
    }

    @Test(arguments: 0..<RP2040Pins.boards.count)
    func noPinHasTwoPurposes(index: Int) {
        let pins = Self.boards[index].pins
        let all = [pins.sda, pins.scl] + pins.en + [pins.jumper, pins.led].compactMap(\.self)
        #expect(Set(all.map(\.gpio)).count == all.count)
        #expect(Set(all.map(\.label)).count == all.count)
        #expect(all.allSatisfy { $0.gpio <= 29 } && [0, 8].contains(pins.en.count))
    }

    @Test func theBlockIsThatOfTheImage() throws {
        let pico = Self.boards[0]
        let block = pico.pins.block(kind: pico.kind, actuators: 3)
        #expect(
            block == [
                0x70, 0x69, 0x6E, 0x73, 3, 0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 2, 3, 25, 0xFF,
            ])
        var image = try UF2Image(FirmwareImage.uf2)
        // The committed image is for a Pico with one actuator.
        let isReplaced = image.replace(
            block[..<17] + [1, 25, 0xFF], at: RP2040Pins.blockAddress, with: block)
        let isThere = image.replace(block, at: RP2040Pins.blockAddress, with: block)
        #expect(isReplaced && isThere)
    }

    @Test func aBoardWithoutAPinForENGetsOneThatLeadsNowhere() throws {
        let trinkey = try #require(Self.boards.first { $0.kind == .trinkeyQT2040 })
        let block = trinkey.pins.block(kind: trinkey.kind, actuators: 1)
        let unused = [UInt8](repeating: 0xFF, count: 8)
        let expected: [UInt8] = [11, 0, 16, 17, 0] + unused + [1, 0xFF, 0xFF]
        #expect(Array(block.dropFirst(4)) == expected)
        #expect(
            BoardKind.trinkeyQT2040.wiringAdvice.hasSuffix(
                "SDA to SDA, SCL to SCL, VIN to 3V, GND to GND"))
    }

    @Test func adviceIsThatOfTheBoard() {
        #expect(
            BoardKind.unoNano.wiringAdvice.hasSuffix(
                "SDA to A4, SCL to A5, EN to D4, VIN to 5V, GND to GND"))
        #expect(
            BoardKind.pico.wiringAdvice.hasSuffix(
                "SDA to GP4, SCL to GP5, EN to GP6, VIN to 3V3, GND to GND"))
        for kind in [BoardKind.unknown, .virtual, BoardKind(rawValue: 200)] {
            #expect(!kind.wiringAdvice.contains("A4") && !kind.wiringAdvice.contains("GP"))
        }
        #expect(
            BoardKind.unoNano.flashCommand(port: "/dev/ttyACM0")
                == "bridge flash --board uno --port /dev/ttyACM0 (or nano, nano-old)")
        #expect(BoardKind.xiaoRP2040.flashCommand(port: nil) == "bridge flash --board xiao-rp2040")
        #expect(BoardKind.pico.jumperAdvice == "connect GP2 to GND")
    }

    /// Checks the table of boards in the README of the schematics.
    @Test func theReadmeHasThePinsOfEveryBoard() throws {
        let text = try String(
            contentsOf: PackageFolder.url.appending(path: "Schematics/README.md"), encoding: .utf8)
        for board in Self.boards {
            let pins = board.pins
            func cell(_ pin: RP2040Pins.Pin) -> String {
                pin.label == "GP\(pin.gpio)" ? pin.label : "\(pin.label) (GP\(pin.gpio))"
            }
            let cells = [
                "`\(board.name)`", cell(pins.sda), cell(pins.scl),
                pins.en.isEmpty ? "none" : pins.en.map(cell).joined(separator: ", "),
                pins.jumper.map(cell) ?? "none", pins.led.map(cell) ?? "none", board.supply,
            ]
            let row = "| \(cells.joined(separator: " | ")) |"
            #expect(text.contains(row), "\(row)")
        }
    }

    @Test func theVirtualBoardSaysWhatItIs() throws {
        let outcome = try Tool.bridge("info", "--virtual", "--json")
        let board = try #require(outcome.objects.first?["board"] as? [String: Any])
        #expect(board["kind"] as? String == "virtual-board")
        let text = try Tool.bridge("info", "--virtual").output
        #expect(text.contains("kind        virtual board"), "\(text)")
    }
}
