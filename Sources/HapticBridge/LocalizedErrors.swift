// What errors say where Foundation is asked: the same as everywhere.

import AHAP
import BridgeLink
import Foundation

extension AHAPError: LocalizedError {
    public var errorDescription: String? { description }
}

extension TransportError: LocalizedError {
    public var errorDescription: String? { description }
}

extension LinkEnd: LocalizedError {
    public var errorDescription: String? { description }
}

extension RequestError: LocalizedError {
    public var errorDescription: String? { description }
}

extension PlaybackError: LocalizedError {
    public var errorDescription: String? { description }
}

extension BoardSearchError: LocalizedError {
    public var errorDescription: String? { description }
}

extension LocalityError: LocalizedError {
    public var errorDescription: String? { description }
}

extension HapticSettings.Refusal: LocalizedError {
    public var errorDescription: String? { description }
}
