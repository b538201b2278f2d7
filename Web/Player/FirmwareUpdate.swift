// FirmwareUpdate: the remedy for a board whose firmware is older than the firmware of the page.

import BridgeLink
import HapticBoards
import JSONText
import VirtualBoard

extension JSONValue {
    /// The newest firmware for a board, the command that writes it to the board, and the name of the
    /// board if its boot loader is a drive; null if the firmware of the board is not older.
    static func update(of welcome: Welcome) -> JSONValue {
        let newest = InProcessBoard.firmwareVersion
        guard welcome.firmware < newest else { return .text(nil) }
        let board = KnownBoard.of(welcome.kind).first
        let isDrive = if case .drive = board?.loader { true } else { false }
        return .members(
            ("firmware", .text("\(newest >> 8).\(newest & 0xFF)")),
            ("command", .text(welcome.kind.flashCommand(port: nil))),
            ("drive", .text(isDrive ? board?.name : nil)))
    }
}

/// Provides the UF2 file for the board of the session: the passed file with the pins of the board.
@_expose(wasm, "firmwareImage") @_cdecl("web_firmware_image")
public func firmwareImage(_ bytes: UnsafePointer<UInt8>, _ count: Int32) -> Int32 {
    guard let welcome = board?.welcome,
        case .drive(let pins)? = KnownBoard.of(welcome.kind).first?.loader,
        var image = try? UF2Image(taken(bytes, count))
    else { return [UInt8]().give() }
    let block = pins.block(kind: welcome.kind, actuators: Int(welcome.actuators))
    _ = image.replace(RP2040Pins.magic, at: RP2040Pins.blockAddress, with: block)
    return image.bytes.give()
}
