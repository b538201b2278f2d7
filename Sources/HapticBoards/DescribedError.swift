// DescribedError: an error that has the same text in Foundation as in its description.

import BridgeLink
import Foundation
import SerialPorts

/// An error whose `localizedDescription` is its description.
public protocol DescribedError: LocalizedError, CustomStringConvertible {}

extension DescribedError {
    public var errorDescription: String? { description }
}

extension BoardSearchError: DescribedError {}
extension HapticSettings.Refusal: DescribedError {}
extension LinkEnd: DescribedError {}
extension LocalityError: DescribedError {}
extension PlaybackError: DescribedError {}
extension RequestError: DescribedError {}
extension TransportError: DescribedError {}
