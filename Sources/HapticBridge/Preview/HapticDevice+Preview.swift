// Devices that preview haptic output without a board.

import Foundation
import HapticBoards

extension HapticDevice {
    /// The condition under which an engine starts as a preview instead of using a board.
    enum Preview: Sendable {
        /// A start without a board fails.
        case never
        /// A start without a board becomes a preview.
        case withoutBoard
        /// The device is always a preview.
        case always
    }

    /// A device without a board. Engines play as on a board, and ``HapticEngine/output(atTime:)``
    /// returns the haptic output that a board would play.
    public static let preview = HapticDevice(
        name: "preview", preview: .always, identity: { previewIdentity }, servedPort: nil,
        capability: { .preview },
        connect: { _ in throw HapticError(.notSupported, "a preview has no board") })

    private static let previewIdentity = BoardIdentity.own(UUID())

    /// Returns a device that uses the board that ``automatic`` finds, and that becomes a preview at
    /// each start that finds no usable board. ``HapticEngine/isPreview`` reports the result.
    ///
    /// - Parameter allowsPreview: true if the app accepts a preview.
    public static func automatic(allowingPreview allowsPreview: Bool) -> HapticDevice {
        var device = automatic
        device.preview = allowsPreview ? .withoutBoard : .never
        return device
    }

    /// The capabilities of the device that can be determined without opening its port. The
    /// capabilities of a device that was created with ``init(name:connect:)`` are not known until
    /// the start; until then, the device is reported as supporting haptics.
    public var capabilities: any HapticDeviceCapability {
        let present = capability()
        let isPreview = preview == .withoutBoard && !present.supportsHaptics
        return isPreview ? BoardCapability.preview : present
    }
}
