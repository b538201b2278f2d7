// Devices that are no board: a preview of what would be felt.

import Foundation
import HapticBoards

extension HapticDevice {
    /// The part that a preview has in a device.
    enum Preview: Sendable {
        /// A start without a board fails.
        case never
        /// A start without a board is a preview.
        case withoutBoard
        /// There is no board.
        case always
    }

    /// A device on which nothing is felt: engines play as on a board, and what would be felt is
    /// shown by ``HapticEngine/output(atTime:)``.
    public static let preview = HapticDevice(
        name: "preview", preview: .always, identity: { previewIdentity }, servedPort: nil,
        capability: { .preview },
        connect: { _ in throw HapticError(.notSupported, "a preview has no board") })

    private static let previewIdentity = BoardIdentity.own(UUID())

    /// Returns the board that ``automatic`` is, or a preview at each start that finds no board that
    /// can play. ``HapticEngine/isPreview`` tells which it has become.
    ///
    /// - Parameter allowsPreview: whether the app accepts a preview.
    public static func automatic(allowingPreview allowsPreview: Bool) -> HapticDevice {
        var device = automatic
        device.preview = allowsPreview ? .withoutBoard : .never
        return device
    }

    /// The capabilities of the device, as far as they can be determined without opening its port.
    /// For a board of its own kind, given by ``init(name:connect:)``, it is only known at the
    /// start whether it can be felt; until then it counts as one that can.
    public var capabilities: any HapticDeviceCapability {
        let present = capability()
        let isPreview = preview == .withoutBoard && !present.supportsHaptics
        return isPreview ? BoardCapability.preview : present
    }
}
