/** The places of requests that no content filter reads, with the reason why. */

type Places = readonly (readonly [place: RegExp, reason: string])[];

/** Read where a text has not the form of an id. */
export const opaquePlaces: Places = [
  [/(^|[.>])(id|status|call_id|tool_call_id|tool_use_id|file_id|approval_request_id)$/, "ids and states"],
  [/(file_ids|vector_store_ids)\[\]$|\.(connector_id|container_id)$/, "ids"],
  [/\.any \(name\)$/, "names of the fields of an item of the API itself"],
  [/\.any\.type$/, "type and id of an object of the API itself"],
  [/(tools|annotations)\[\]\.type$/, "says what kind of object it is"],
  [/\.(encrypted_content|signature)$|<redacted_thinking>\.data$/, "only its maker can read it"],
  [/<reasoning>\.format$/, "names the form of what its maker has encrypted"],
];

/** Whatever stands there. */
export const unreadPlaces: Places = [
  [/input_audio\.data$|<image_generation_call>\.result$/, "sound and images"],
  [/<mcp>\.(authorization|headers\.\*)$/, "the caller's credential for its own server"],
  [/^(model|models\[\]|fallbacks\[\](\.model)?)$/, "chosen from the catalog"],
  [/^(provider\.(order|only|ignore)\[\]|stop_server_tools_when\[\].*)$/, "stays in the gateway"],
  [/<item_reference>\.id$/, "stays in the gateway"],
  [/^(preset|session_id|user|safety_identifier|metadata\.user_id|trace\..*)$/, "stays in the gateway"],
];

/** The same of responses. */
export const opaqueOutputs: Places = [
  [/(^|[.>])(id|call_id|file_id|container_id)$/, "ids"],
  [/<reasoning>\.(encrypted_content|signature)$/, "only its maker can read it"],
  [/<reasoning>\.format$/, "names the form of what its maker has encrypted"],
  [/\.any \(name\)$/, "names of the fields of an item of the API itself"],
  [/\.any\.type$/, "type and id of an object of the API itself"],
];

export const unreadOutputs: Places = [
  [/\.(imageB64|screenshotB64|partial_image_b64)$|image_generation(_call)?>\.result$/, "images"],
];
