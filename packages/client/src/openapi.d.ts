// Generated from the provider's OpenAPI document by `npm run docs`.
export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Root document
         * @description Software and version, served chains with their provider addresses and contracts, and the path of every endpoint. Browsers, which ask for text/html, are redirected to the console, or else to the public catalogue, if one is on.
         */
        get: operations["getRoot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/services/nonce": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Last used nonce
         * @description The last nonce that an address used, 1 where it never used one. Where that was a time before the cut-over from a legacy service, the time of the cut-over, so that the next number is good. Nothing is written.
         */
        get: operations["nonce"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/services/encrypt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Encrypt a document
         * @description Encrypts the raw body to the provider key of a chain: ECIES over secp256k1 with AES-256-GCM. A signature over consumerAddress + nonce + "encrypt" is optional; if sent, it is verified and its nonce consumed. So is an auth token.
         */
        post: operations["encrypt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/services/encrypt/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Encrypt new files with the present ones
         * @description Encrypts a files object with the present files of its service after its own, so that a publisher can keep them without knowing their locations. For accounts that may change the metadata of the asset (updateMetadata of its data NFT). Signed over consumerAddress + nonce + "encryptVersion". A present file whose name is taken moves into the folder old, old 2, ….
         */
        post: operations["encryptVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/services/decrypt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decrypt a published document
         * @description For metadata caches: the DDO that a data NFT published, by the transaction, or by the encrypted document with flags and hash. Signed over (transactionId, else dataNftAddress) + decrypterAddress + chainId + nonce, or decrypterAddress + nonce + "decryptDDO". A refused request consumes the nonce as well. What was published a moment ago is waited for, for ORDER_WAIT at most.
         */
        post: operations["decrypt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/services/fileinfo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Describe files
         * @description Size, type and validity of the files of a published service (did, serviceId), or of storage objects sent as the body: one, a list, or {files: list}, each of which counts as a request. A file that is not available is valid: false in a 200, and so is a published one whose descriptor is not understood; for a storage object that the caller sends, reason says why. Without an order a published file is only probed: one that needs a POST, a database statement or a query with variables is described from its descriptor. Results are cached for a minute.
         */
        post: operations["fileinfo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/services/initialize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Quote an order
         * @description The datatoken to spend and the signed provider fee to order with. With fileIndex, that file is tested. A fee by size counts all files of the service; with fileIndex it counts that file, and the order opens no other. With transferTxId, an order that still opens the file, or without fileIndex all files, is returned instead.
         */
        get: operations["initialize"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/services/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file
         * @description Verifies signature or token, nonce, asset and order, and streams the file. Signed over documentId + nonce, or consumerAddress + nonce + "download". Range and conditional headers are forwarded to the storage. archive=zip replaces fileIndex: the response is a ZIP archive of all files of the service, without ranges, and with a length if this provider hosts all files. A file that fails cuts the connection.
         */
        get: operations["download"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Download a file: headers only
         * @description Verifies signature or token, nonce, asset and order, and streams the file. Signed over documentId + nonce, or consumerAddress + nonce + "download". Range and conditional headers are forwarded to the storage. archive=zip replaces fileIndex: the response is a ZIP archive of all files of the service, without ranges, and with a length if this provider hosts all files. A file that fails cuts the connection.
         */
        head: operations["downloadHead"];
        patch?: never;
        trace?: never;
    };
    "/api/services/download/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a download link
         * @description Verifies the same as a download, and gives a URL that needs no further proof: for GET, HEAD and ranges until it expires, at the latest with the order. Signed over consumerAddress + nonce + "downloadLink", which no other route accepts. Asset, credentials and order are verified again on each use; deleting the auth token that the link was created with ends it.
         */
        post: operations["downloadLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/services/download/link/{grant}/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file by its link
         * @description Verifies the link, asset, credentials and order, and streams the file. It counts as a download of the consumer that the link was created for.
         */
        get: operations["getApiServicesDownloadLinkGrantName"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Download a file by its link: headers only
         * @description Verifies the link, asset, credentials and order, and streams the file. It counts as a download of the consumer that the link was created for.
         */
        head: operations["getApiServicesDownloadLinkGrantNameHead"];
        patch?: never;
        trace?: never;
    };
    "/api/services/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List one's hosted files
         * @description Files of the address, a page at a time, with the assets that use them. By auth token, or signed over address + nonce + "listUploads", which consumes no nonce and only reads. With a signature over address + nonce + "upload" the nonce is consumed.
         */
        get: operations["getApiServicesUploads"];
        put?: never;
        /**
         * Begin an upload
         * @description Creates a hosted file, and takes its first bytes if there are any. By the tus protocol 1.0, with creation-with-upload, creation-defer-length, concatenation, expiration and checksum. By auth token, or signed over address + nonce + "upload"; the proof may be sent as headers.
         */
        post: operations["uploads"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/services/uploads/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a hosted file
         * @description A file of the address, complete or not. HEAD answers by the tus protocol. By auth token, or signed over address + nonce + "listUploads", which consumes no nonce and only reads. With a signature over address + nonce + "upload" the nonce is consumed.
         */
        get: operations["getApiServicesUploadsId"];
        put?: never;
        post?: never;
        /**
         * Delete a hosted file
         * @description Deletes a file of the address, complete or not; one that assets use only with force. By auth token, or signed over address + nonce + "upload"; the nonce is consumed.
         */
        delete: operations["deleteApiServicesUploadsId"];
        options?: never;
        /**
         * Show a hosted file: headers only
         * @description A file of the address, complete or not. HEAD answers by the tus protocol. By auth token, or signed over address + nonce + "listUploads", which consumes no nonce and only reads. With a signature over address + nonce + "upload" the nonce is consumed.
         */
        head: operations["getApiServicesUploadsIdHead"];
        /**
         * Continue an upload
         * @description Takes the next bytes. What is acknowledged is durable. By the tus protocol 1.0, with creation-with-upload, creation-defer-length, concatenation, expiration and checksum. By auth token, or signed over address + nonce + "upload"; the proof may be sent as headers.
         */
        patch: operations["patchApiServicesUploadsId"];
        trace?: never;
    };
    "/api/services/public/{id}/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a public file
         * @description Sends a hosted file whose upload was public. Needs no order and no signature. Another name than that of the file is not found; without a name, the file is sent as well.
         */
        get: operations["getApiServicesPublicIdName"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Read a public file: headers only
         * @description Sends a hosted file whose upload was public. Needs no order and no signature. Another name than that of the file is not found; without a name, the file is sent as well.
         */
        head: operations["getApiServicesPublicIdNameHead"];
        patch?: never;
        trace?: never;
    };
    "/api/services/createAuthToken": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Create an auth token
         * @description Always signed, over address + nonce, or address + nonce + "createAuthToken" or "invalidateAuthToken". @oceanprotocol/lib 9 appends the id of this provider (POST /directCommand) to the text for a new token. Without an address, the signer of the bare nonce is used. The nonce is consumed as soon as the signature is verified, even if the request is refused afterwards. Every request creates a new token.
         */
        get: operations["createAuthToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/services/deleteAuthToken": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an auth token
         * @description Always signed, over address + nonce, or address + nonce + "createAuthToken" or "invalidateAuthToken". @oceanprotocol/lib 9 appends the id of this provider (POST /directCommand) to the text for a new token. Without an address, the signer of the bare nonce is used. The nonce is consumed as soon as the signature is verified, even if the request is refused afterwards. The signature may also be sent as the header `signature`.
         */
        delete: operations["deleteAuthToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/services/auth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an auth token (modern clients)
         * @description Always signed, over address + nonce, or address + nonce + "createAuthToken" or "invalidateAuthToken". @oceanprotocol/lib 9 appends the id of this provider (POST /directCommand) to the text for a new token. Without an address, the signer of the bare nonce is used. The nonce is consumed as soon as the signature is verified, even if the request is refused afterwards. Without validUntil the token has the lifetime that the operator configured. Or send `message` and `signature` alone: a sign-in message of EIP-4361, which names this provider, so that it is of no use at another one. Its nonce is consumed likewise. Its URI is the base URL of the provider, and its Expiration Time takes the place of validUntil.
         */
        post: operations["generateAuthToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/services/auth/token/invalidate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete an auth token (modern clients)
         * @description Always signed, over address + nonce, or address + nonce + "createAuthToken" or "invalidateAuthToken". @oceanprotocol/lib 9 appends the id of this provider (POST /directCommand) to the text for a new token. Without an address, the signer of the bare nonce is used. The nonce is consumed as soon as the signature is verified, even if the request is refused afterwards. Or send `message` and `signature` alone: a sign-in message of EIP-4361, which names this provider, so that it is of no use at another one. Its nonce is consumed likewise. Its URI is the URL of this route.
         */
        post: operations["invalidateAuthToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/aquarius/assets/ddo/{did}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Asset document
         * @description The DDO of an asset from the on-chain index, with nft, datatokens, event, stats and purgatory filled in. Where the operator has named who may decrypt (AUTHORIZED_DECRYPTERS, AUTHORIZED_DECRYPTERS_LIST), a document that is encrypted on the chain is for those alone: signed over decrypterAddress + nonce + "decryptDDO".
         */
        get: operations["getApiAquariusAssetsDdoDid"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/aquarius/assets/metadata/{did}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metadata of an asset
         * @description The metadata object of an asset document, under the same conditions as the document itself. Assets whose state hides it have none.
         */
        get: operations["getApiAquariusAssetsMetadataDid"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/aquarius/assets/hidden": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Hidden assets of an owner
         * @description The newest 200 assets of an owner that are neither active nor unlisted, as their documents are served: with the data NFT, its name and state, without metadata and services. The owner has sent their newest documents.
         */
        get: operations["getApiAquariusAssetsHidden"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/aquarius/assets/ddo/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Validate a DDO
         * @description Checks a DDO before it is published, and signs its SHA-256 so that the contract records who validated it. The body is the DDO, or {ddo, publisherAddress, nonce, signature}, as octets or JSON; then the hash is that of JSON.stringify(ddo). A signature is optional: over publisherAddress + nonce, or publisherAddress + nonce + "validateDDO". If sent, it is verified and its nonce consumed, whatever becomes of the DDO. An auth token is verified as well.
         */
        post: operations["postApiAquariusAssetsDdoValidate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/aquarius/assets/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search assets
         * @description Finds active and unlisted assets by what their documents say. A construct that is not understood is refused by its name. Of a chain whose index is not up to date nothing is found; _shards tells of how many.
         */
        post: operations["postApiAquariusAssetsQuery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/aquarius/assets/metadata/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search assets, documents alone
         * @description Finds active and unlisted assets by what their documents say. A construct that is not understood is refused by its name. Of a chain whose index is not up to date nothing is found; _shards tells of how many. The answer is the list of their documents. With index, the answer has the form that front ends of Ocean Node read; the index order is that of orders.
         */
        post: operations["postApiAquariusAssetsMetadataQuery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/aquarius/assets/names": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Names of assets
         * @description The names of up to 1000 assets by DID. Assets that a search does not find are left out.
         */
        post: operations["postApiAquariusAssetsNames"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/asset/{did}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Page of an asset
         * @description HTML that works without script, with a description in schema.org inside. With CATALOGUE=public. What a search hides is not told.
         */
        get: operations["assetPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/catalogue/{did}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Description of an asset
         * @description JSON-LD as schema.org Dataset, Croissant 1.1 or dcat:Dataset of DCAT-AP 3. With CATALOGUE=public. What a search hides is not told.
         */
        get: operations["assetDescription"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/catalogue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Catalogue
         * @description A page of the newest assets as HTML. With CATALOGUE=public. What a search hides is not told.
         */
        get: operations["catalogue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/catalogue.jsonld": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Catalogue as DCAT
         * @description A page of the newest assets as dcat:Catalog of DCAT-AP 3, in JSON-LD. hydra:next is the next page. With CATALOGUE=public. What a search hides is not told.
         */
        get: operations["catalogueDcat"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sitemap.xml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Index of the sitemaps
         * @description Names as many sitemaps of 50000 assets as there are assets. With CATALOGUE=public. What a search hides is not told.
         */
        get: operations["getSitemapXml"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sitemap-{page}.xml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A sitemap
         * @description The pages of up to 50000 assets. With CATALOGUE=public. What a search hides is not told.
         */
        get: operations["getSitemapPageXml"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/robots.txt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Rules for crawlers
         * @description Allows the catalogue, disallows the rest of the API, and names the sitemap. With CATALOGUE=public. What a search hides is not told.
         */
        get: operations["getRobotsTxt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/services/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Status for the public
         * @description Version, progress of the index of every chain, and the limits that consumers and publishers may run into. Always 200: whether the service is ready is a field.
         */
        get: operations["getApiServicesStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mcp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tools of agents
         * @description The Model Context Protocol over streamable HTTP, without sessions: one JSON-RPC message a request, answered as JSON. Tools: search_assets, describe_asset, quote, preview, my_orders, download_link. Each request that a tool makes counts as one. Only if the operator has switched it on (MCP).
         */
        post: operations["postMcp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/directCommand": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Status in the form of Ocean Node
         * @description Answers `status`: the id of this provider, which @oceanprotocol/lib 9 signs for a token, its key, chains, index and storage kinds. Every other command is refused.
         */
        post: operations["directCommand"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Liveness
         * @description Succeeds as long as the process responds.
         */
        get: operations["getLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Readiness
         * @description Whether the database is healthy and the index of every chain is close to a recently seen head, with the progress of each.
         */
        get: operations["getReady"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ValidationError: {
            errors: {
                [key: string]: string[];
            };
            /** @constant */
            message: "Validation error";
            /** @constant */
            success: false;
        };
        Error: {
            error: string;
            code: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getRoot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The root document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        software: "Tidegate";
                        version: string;
                        chainIds: number[];
                        providerAddresses: {
                            [key: string]: string;
                        };
                        contracts: {
                            [key: string]: {
                                /** @description Deploys data NFTs and datatokens, and names its router. */
                                ERC721Factory: string;
                                /** @description The OCEAN token. */
                                Ocean?: string;
                                /** @description Deploys access lists. */
                                AccessListFactory?: string;
                                /** @description Tokens by symbol, for prices. */
                                tokens: {
                                    [key: string]: string;
                                };
                            };
                        };
                        serviceEndpoints: {
                            [key: string]: string[];
                        };
                        /** @description Where PUBLIC_URL is configured: how tokens are created by EIP-4361 messages. */
                        signIn?: {
                            /**
                             * Format: uri
                             * @description The URL that a message must name.
                             */
                            url: string;
                            /** @description Whether every other signed text is refused. */
                            required: boolean;
                            /** @description The longest lifetime of a token, in seconds. */
                            maxLifetime: number;
                            /** @description The lifetime of a download link, in seconds. */
                            linkLifetime: number;
                        };
                        /** @description Who runs the service, if that is configured. */
                        operator?: {
                            name?: string;
                            /** Format: uri */
                            url?: string;
                            contact?: string;
                            /** Format: uri */
                            imprint?: string;
                            /** Format: uri */
                            privacy?: string;
                            /** Format: uri */
                            terms?: string;
                        };
                    };
                };
            };
            /** @description The console or the catalogue, for browsers. */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    nonce: {
        parameters: {
            query: {
                /**
                 * @description Ethereum address, in any case.
                 * @example 0xe2DD09d719Da89e5a3D0F2549c7E24566e947260
                 */
                userAddress: string;
                /**
                 * @description Chain of the nonce, if the address is a contract wallet, which has separate nonces on each chain. Default: the last nonce that it used on any chain.
                 * @example 8996
                 */
                chainId?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The nonce, a decimal number. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "nonce": 1
                     *     }
                     */
                    "application/json": {
                        nonce: number;
                    };
                };
            };
            /** @description One of: VALIDATION, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    encrypt: {
        parameters: {
            query: {
                /**
                 * @description Chain whose provider key encrypts.
                 * @example 8996
                 */
                chainId: number;
                /**
                 * @description Address that signed, or that the token was issued to. Required with a signature.
                 * @example 0xe2DD09d719Da89e5a3D0F2549c7E24566e947260
                 */
                consumerAddress?: string;
                /**
                 * @description Decimal number greater than the last one that the address used; the UTC time in milliseconds is a good choice.
                 * @example 1
                 */
                nonce?: number | string;
                /**
                 * @description Signature of the keccak-256 hash of the message as an EIP-191 personal message: 65 bytes of hex (r, s, v); of a contract wallet whatever it accepts, up to 8,192 bytes, also wrapped by ERC-6492.
                 * @example 0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
                 */
                signature?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The document: a files object or a DDO. */
        requestBody: {
            content: {
                "application/octet-stream": unknown;
            };
        };
        responses: {
            /** @description The encrypted document as hex. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example 0x04 */
                    "text/plain": string;
                };
            };
            /** @description One of: VALIDATION, UNKNOWN_CHAIN, BAD_CONTENT_TYPE, EMPTY_BODY, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: RBAC_DENIED. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BODY_TOO_LARGE. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_CONTENT_TYPE. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: RANGE_NOT_SATISFIABLE. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_EXPECTATION. */
            417: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: HEADERS_TOO_LARGE. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: RBAC_UNAVAILABLE, STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    encryptVersion: {
        parameters: {
            query: {
                /**
                 * @description DID of the asset.
                 * @example did:op:0000
                 */
                documentId: string;
                /**
                 * @description Text.
                 * @example tide-access
                 */
                serviceId: string;
                /**
                 * @description Address that may change the metadata of the asset.
                 * @example 0xe2DD09d719Da89e5a3D0F2549c7E24566e947260
                 */
                consumerAddress: string;
                /**
                 * @description Decimal number greater than the last one that the address used; the UTC time in milliseconds is a good choice.
                 * @example 1
                 */
                nonce?: number | string;
                /**
                 * @description Signature of the keccak-256 hash of the message as an EIP-191 personal message: 65 bytes of hex (r, s, v); of a contract wallet whatever it accepts, up to 8,192 bytes, also wrapped by ERC-6492.
                 * @example 0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
                 */
                signature?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The files object. */
        requestBody: {
            content: {
                "application/octet-stream": unknown;
            };
        };
        responses: {
            /** @description The encrypted document as hex. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example 0x04 */
                    "text/plain": string;
                };
            };
            /** @description One of: VALIDATION, BAD_CONTENT_TYPE, EMPTY_BODY, DID_NOT_RESOLVED, UNKNOWN_SERVICE, FILES_UNREADABLE, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: ASSET_NOT_CONSUMABLE, UPDATER_DENIED, RBAC_DENIED. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BODY_TOO_LARGE. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_CONTENT_TYPE. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: RANGE_NOT_SATISFIABLE. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_EXPECTATION. */
            417: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: HEADERS_TOO_LARGE. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: CHAIN_UNAVAILABLE. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: PROVIDER_KEY_MISSING, RBAC_UNAVAILABLE, STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    decrypt: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Ethereum address, in any case.
                     * @example 0xe2DD09d719Da89e5a3D0F2549c7E24566e947260
                     */
                    decrypterAddress: string;
                    /**
                     * @description A whole number.
                     * @example 0
                     */
                    chainId: number;
                    /**
                     * @description Ethereum address, in any case.
                     * @example 0xe2DD09d719Da89e5a3D0F2549c7E24566e947260
                     */
                    dataNftAddress: string;
                    /**
                     * @description 32 bytes of hex: a transaction id, or a hash.
                     * @example 0xabababababababababababababababababababababababababababababababab
                     */
                    transactionId?: string;
                    /**
                     * @description Bytes as hex.
                     * @example 0x04
                     */
                    encryptedDocument?: string;
                    /**
                     * @description Bit 1: compressed (xz or lzma); bit 2: encrypted.
                     * @example 2
                     */
                    flags?: number | string;
                    /**
                     * @description 32 bytes of hex: a transaction id, or a hash.
                     * @example 0xabababababababababababababababababababababababababababababababab
                     */
                    documentHash?: string;
                    /**
                     * @description Decimal number greater than the last one that the address used; the UTC time in milliseconds is a good choice.
                     * @example 1
                     */
                    nonce?: number | string;
                    /**
                     * @description Signature of the keccak-256 hash of the message as an EIP-191 personal message: 65 bytes of hex (r, s, v); of a contract wallet whatever it accepts, up to 8,192 bytes, also wrapped by ERC-6492.
                     * @example 0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
                     */
                    signature?: string;
                };
            };
        };
        responses: {
            /** @description The document. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {"id":"did:op:…"} */
                    "text/plain": string;
                };
            };
            /** @description One of: VALIDATION, UNKNOWN_CHAIN, NFT_UNKNOWN, DOCUMENT_UNKNOWN, DOCUMENT_UNREADABLE, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: DECRYPTER_DENIED, ASSET_NOT_CONSUMABLE. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BODY_TOO_LARGE. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_CONTENT_TYPE. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: RANGE_NOT_SATISFIABLE. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_EXPECTATION. */
            417: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: HEADERS_TOO_LARGE. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: TAKEN_DOWN. */
            451: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: CHAIN_UNAVAILABLE. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: SANDBOX_UNAVAILABLE, STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    fileinfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Text.
                     * @example tide-access
                     */
                    did?: string;
                    /**
                     * @description Text.
                     * @example tide-access
                     */
                    serviceId?: string;
                    /**
                     * @description true or false; also 1 or 0.
                     * @example true
                     */
                    checksum?: boolean;
                    /**
                     * @description A whole number.
                     * @example 0
                     */
                    fileIndex?: number;
                    /**
                     * @description Values for the storage, if a storage object is sent. Without an order, those for a published asset are not forwarded.
                     * @example {
                     *       "day": "2026-01-01"
                     *     }
                     */
                    userdata?: Record<string, never> | string;
                    /**
                     * @description Chain of a smartcontract object that names none.
                     * @example 8996
                     */
                    chainId?: number;
                } | Record<string, never> | {
                    /** @enum {unknown} */
                    type: "url" | "ipfs" | "graphql" | "arweave" | "smartcontract" | "filecoin" | "s3" | "sql" | "ftp" | "hosted";
                } | {
                    /** @enum {unknown} */
                    type: "url" | "ipfs" | "graphql" | "arweave" | "smartcontract" | "filecoin" | "s3" | "sql" | "ftp" | "hosted";
                }[] | {
                    files: {
                        /** @enum {unknown} */
                        type: "url" | "ipfs" | "graphql" | "arweave" | "smartcontract" | "filecoin" | "s3" | "sql" | "ftp" | "hosted";
                    }[];
                };
            };
        };
        responses: {
            /** @description One entry for each file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "index": 0,
                     *         "valid": true,
                     *         "type": "url",
                     *         "contentLength": "1024",
                     *         "contentType": "text/csv"
                     *       }
                     *     ]
                     */
                    "application/json": {
                        index: number;
                        valid: boolean;
                        type: string;
                        contentLength?: string;
                        contentType?: string;
                        filename?: string;
                        /** @description The name that the publisher gave the file: a relative path. */
                        name?: string;
                        /** @description SHA-256 as hex, if requested and the file is small enough. */
                        checksum?: string;
                        /** @constant */
                        checksumType?: "sha256";
                        /**
                         * @description Why a storage object that the caller sent is not valid.
                         * @enum {unknown}
                         */
                        reason?: "not_found" | "denied" | "unreachable" | "timeout" | "not_allowed" | "unsupported" | "failed";
                    }[];
                };
            };
            /** @description One of: VALIDATION, DID_NOT_RESOLVED, UNKNOWN_SERVICE, FILES_UNREADABLE, NO_SUCH_FILE, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: ASSET_NOT_CONSUMABLE, PURGATORY. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BODY_TOO_LARGE. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_CONTENT_TYPE. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: RANGE_NOT_SATISFIABLE. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_EXPECTATION. */
            417: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: HEADERS_TOO_LARGE. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: TAKEN_DOWN. */
            451: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: PROVIDER_KEY_MISSING, STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    initialize: {
        parameters: {
            query: {
                /**
                 * @description Text.
                 * @example tide-access
                 */
                documentId: string;
                /**
                 * @description Text.
                 * @example tide-access
                 */
                serviceId: string;
                /**
                 * @description Ethereum address, in any case.
                 * @example 0xe2DD09d719Da89e5a3D0F2549c7E24566e947260
                 */
                consumerAddress: string;
                /**
                 * @description A whole number.
                 * @example 0
                 */
                fileIndex?: number;
                /**
                 * @description A whole number.
                 * @example 0
                 */
                validUntil?: number;
                /**
                 * @description 32 bytes of hex: a transaction id, or a hash.
                 * @example 0xabababababababababababababababababababababababababababababababab
                 */
                transferTxId?: string;
                /**
                 * @description Id of the compute environment that the order is for. Required for a compute service, ignored for an access service.
                 * @example small
                 */
                environment?: string;
                /**
                 * @description Values for the storage, as a JSON object: query parameters of a GET, the JSON body of a POST.
                 * @example {"day":"2026-01-01"}
                 */
                userdata?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The quote, or the order that is still valid. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        datatoken: string;
                        /** @description Last nonce that the consumer used. */
                        nonce: number;
                        /** @description Consumer address of the compute environment; the zero address for access. */
                        computeAddress: string;
                        providerFee: {
                            providerFeeAddress: string;
                            providerFeeToken: string;
                            /** @description In the token's smallest unit. */
                            providerFeeAmount: string;
                            providerData: string;
                            /** @enum {unknown} */
                            v: 27 | 28;
                            r: string;
                            s: string;
                            /** @description Seconds since 1970; 0 means no expiry. */
                            validUntil: number;
                        };
                        /** @description Which rule of the provider the fee follows; left out where it has none (PROVIDER_FEES). */
                        providerFeeRule?: string;
                    } | {
                        validOrder: string;
                    };
                };
            };
            /** @description One of: VALIDATION, DID_NOT_RESOLVED, UNKNOWN_SERVICE, FILES_UNREADABLE, NO_SUCH_FILE, FILE_UNAVAILABLE, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: ASSET_NOT_CONSUMABLE, CREDENTIALS_DENIED, PURGATORY, RBAC_DENIED. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: TAKEN_DOWN. */
            451: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: CREDENTIALS_UNAVAILABLE, CHAIN_UNAVAILABLE. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: RBAC_UNAVAILABLE, CLOCK_WRONG, PROVIDER_KEY_MISSING, STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    download: {
        parameters: {
            query: {
                /**
                 * @description Text.
                 * @example tide-access
                 */
                documentId: string;
                /**
                 * @description Text.
                 * @example tide-access
                 */
                serviceId: string;
                /**
                 * @description 32 bytes of hex: a transaction id, or a hash.
                 * @example 0xabababababababababababababababababababababababababababababababab
                 */
                transferTxId: string;
                /**
                 * @description Ethereum address, in any case.
                 * @example 0xe2DD09d719Da89e5a3D0F2549c7E24566e947260
                 */
                consumerAddress: string;
                /**
                 * @description Values for the storage, as a JSON object: query parameters of a GET, the JSON body of a POST.
                 * @example {"day":"2026-01-01"}
                 */
                userdata?: string;
                /**
                 * @description A whole number.
                 * @example 0
                 */
                fileIndex?: number;
                /**
                 * @description Replaces fileIndex: all files of the service, as a ZIP archive.
                 * @example zip
                 */
                archive?: "zip";
                /**
                 * @description Decimal number greater than the last one that the address used; the UTC time in milliseconds is a good choice.
                 * @example 1
                 */
                nonce?: number | string;
                /**
                 * @description Signature of the keccak-256 hash of the message as an EIP-191 personal message: 65 bytes of hex (r, s, v); of a contract wallet whatever it accepts, up to 8,192 bytes, also wrapped by ERC-6492.
                 * @example 0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
                 */
                signature?: string;
            };
            header?: {
                /** @description The bytes wanted, as in RFC 9110, for example bytes=0-1023. */
                Range?: string;
                /** @description Validator (ETag or Last-Modified of an earlier response) that the range depends on. */
                "If-Range"?: string;
                /** @description ETag of a cached copy: 304 if it still matches. */
                "If-None-Match"?: string;
                /** @description Time of a cached copy: 304 if the file is not newer. */
                "If-Modified-Since"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    /** @description attachment, with the name of the file */
                    "Content-Disposition"?: string;
                    /** @description The range of bytes, and the total */
                    "Content-Range"?: string;
                    /** @description The service's own validator of this file; it replaces the storage's and reveals nothing about it */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description A part of the file. */
            206: {
                headers: {
                    /** @description attachment, with the name of the file */
                    "Content-Disposition"?: string;
                    /** @description The range of bytes, and the total */
                    "Content-Range"?: string;
                    /** @description The service's own validator of this file; it replaces the storage's and reveals nothing about it */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description Not modified. */
            304: {
                headers: {
                    /** @description The service's own validator of this file; it replaces the storage's and reveals nothing about it */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: VALIDATION, TOKEN_EXPIRED, TOKEN_DELETED, TOKEN_INVALID, DID_NOT_RESOLVED, UNKNOWN_SERVICE, FILES_UNREADABLE, NO_SUCH_FILE, ORDER_NOT_FOUND, ORDER_REVERTED, ORDER_UNCONFIRMED, ORDER_NO_EVENT, ORDER_WRONG_SERVICE, ORDER_UNDERPAID, ORDER_WRONG_CONSUMER, ORDER_BAD_FEE, ORDER_QUOTE_EXPIRED, ORDER_EXPIRED, ORDER_WRONG_FILE, ORDER_WRONG_ENVIRONMENT, ORDER_COMPUTE_ENDED, ORDER_BAD_REUSE, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: NOT_AN_ACCESS_SERVICE, ASSET_NOT_CONSUMABLE, CREDENTIALS_DENIED, PURGATORY, RBAC_DENIED. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: ORDER_FILE_GONE. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The range lies outside of the file. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description One of: CONSUMER_LIMITED. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: TAKEN_DOWN. */
            451: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: CREDENTIALS_UNAVAILABLE, STORAGE_REFUSED, CHAIN_UNAVAILABLE. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: RBAC_UNAVAILABLE, STORAGE_BUSY, CHAIN_NOT_READY, STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: STORAGE_TIMEOUT. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    downloadHead: {
        parameters: {
            query: {
                /**
                 * @description Text.
                 * @example tide-access
                 */
                documentId: string;
                /**
                 * @description Text.
                 * @example tide-access
                 */
                serviceId: string;
                /**
                 * @description 32 bytes of hex: a transaction id, or a hash.
                 * @example 0xabababababababababababababababababababababababababababababababab
                 */
                transferTxId: string;
                /**
                 * @description Ethereum address, in any case.
                 * @example 0xe2DD09d719Da89e5a3D0F2549c7E24566e947260
                 */
                consumerAddress: string;
                /**
                 * @description Values for the storage, as a JSON object: query parameters of a GET, the JSON body of a POST.
                 * @example {"day":"2026-01-01"}
                 */
                userdata?: string;
                /**
                 * @description A whole number.
                 * @example 0
                 */
                fileIndex?: number;
                /**
                 * @description Replaces fileIndex: all files of the service, as a ZIP archive.
                 * @example zip
                 */
                archive?: "zip";
                /**
                 * @description Decimal number greater than the last one that the address used; the UTC time in milliseconds is a good choice.
                 * @example 1
                 */
                nonce?: number | string;
                /**
                 * @description Signature of the keccak-256 hash of the message as an EIP-191 personal message: 65 bytes of hex (r, s, v); of a contract wallet whatever it accepts, up to 8,192 bytes, also wrapped by ERC-6492.
                 * @example 0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
                 */
                signature?: string;
            };
            header?: {
                /** @description The bytes wanted, as in RFC 9110, for example bytes=0-1023. */
                Range?: string;
                /** @description Validator (ETag or Last-Modified of an earlier response) that the range depends on. */
                "If-Range"?: string;
                /** @description ETag of a cached copy: 304 if it still matches. */
                "If-None-Match"?: string;
                /** @description Time of a cached copy: 304 if the file is not newer. */
                "If-Modified-Since"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A part of the file. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not modified. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: VALIDATION, TOKEN_EXPIRED, TOKEN_DELETED, TOKEN_INVALID, DID_NOT_RESOLVED, UNKNOWN_SERVICE, FILES_UNREADABLE, NO_SUCH_FILE, ORDER_NOT_FOUND, ORDER_REVERTED, ORDER_UNCONFIRMED, ORDER_NO_EVENT, ORDER_WRONG_SERVICE, ORDER_UNDERPAID, ORDER_WRONG_CONSUMER, ORDER_BAD_FEE, ORDER_QUOTE_EXPIRED, ORDER_EXPIRED, ORDER_WRONG_FILE, ORDER_WRONG_ENVIRONMENT, ORDER_COMPUTE_ENDED, ORDER_BAD_REUSE, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: NOT_AN_ACCESS_SERVICE, ASSET_NOT_CONSUMABLE, CREDENTIALS_DENIED, PURGATORY, RBAC_DENIED. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: ORDER_FILE_GONE. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The range lies outside of the file. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: CONSUMER_LIMITED. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: TAKEN_DOWN. */
            451: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: CREDENTIALS_UNAVAILABLE, STORAGE_REFUSED, CHAIN_UNAVAILABLE. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: RBAC_UNAVAILABLE, STORAGE_BUSY, CHAIN_NOT_READY, STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: STORAGE_TIMEOUT. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    downloadLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Text.
                     * @example tide-access
                     */
                    documentId: string;
                    /**
                     * @description Text.
                     * @example tide-access
                     */
                    serviceId: string;
                    /**
                     * @description 32 bytes of hex: a transaction id, or a hash.
                     * @example 0xabababababababababababababababababababababababababababababababab
                     */
                    transferTxId: string;
                    /**
                     * @description Ethereum address, in any case.
                     * @example 0xe2DD09d719Da89e5a3D0F2549c7E24566e947260
                     */
                    consumerAddress: string;
                    /**
                     * @description Values for the storage, as a JSON object: query parameters of a GET, the JSON body of a POST.
                     * @example {
                     *       "day": "2026-01-01"
                     *     }
                     */
                    userdata?: Record<string, never> | string;
                    /**
                     * @description A whole number.
                     * @example 0
                     */
                    fileIndex?: number;
                    /**
                     * @description Replaces fileIndex: all files of the service, as a ZIP archive.
                     * @example zip
                     * @constant
                     */
                    archive?: "zip";
                    /**
                     * @description Seconds until the link expires, at most DOWNLOAD_LINK_LIFETIME_MAX. Default: DOWNLOAD_LINK_LIFETIME.
                     * @example 86400
                     */
                    lifetime?: number;
                    /**
                     * @description Decimal number greater than the last one that the address used; the UTC time in milliseconds is a good choice.
                     * @example 1
                     */
                    nonce?: number | string;
                    /**
                     * @description Signature of the keccak-256 hash of the message as an EIP-191 personal message: 65 bytes of hex (r, s, v); of a contract wallet whatever it accepts, up to 8,192 bytes, also wrapped by ERC-6492.
                     * @example 0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
                     */
                    signature?: string;
                };
            };
        };
        responses: {
            /** @description The link, a secret of its consumer. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uri */
                        url: string;
                        /** @description Seconds since 1970 (UTC) */
                        expires: number;
                    };
                };
            };
            /** @description One of: VALIDATION, TOKEN_EXPIRED, TOKEN_DELETED, TOKEN_INVALID, DID_NOT_RESOLVED, UNKNOWN_SERVICE, FILES_UNREADABLE, NO_SUCH_FILE, ORDER_NOT_FOUND, ORDER_REVERTED, ORDER_UNCONFIRMED, ORDER_NO_EVENT, ORDER_WRONG_SERVICE, ORDER_UNDERPAID, ORDER_WRONG_CONSUMER, ORDER_BAD_FEE, ORDER_QUOTE_EXPIRED, ORDER_EXPIRED, ORDER_WRONG_FILE, ORDER_WRONG_ENVIRONMENT, ORDER_COMPUTE_ENDED, ORDER_BAD_REUSE, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: NOT_AN_ACCESS_SERVICE, ASSET_NOT_CONSUMABLE, CREDENTIALS_DENIED, PURGATORY, RBAC_DENIED. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: ORDER_FILE_GONE. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BODY_TOO_LARGE. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_CONTENT_TYPE. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: RANGE_NOT_SATISFIABLE. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_EXPECTATION. */
            417: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: CONSUMER_LIMITED. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: HEADERS_TOO_LARGE. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: TAKEN_DOWN. */
            451: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: CREDENTIALS_UNAVAILABLE, STORAGE_REFUSED, CHAIN_UNAVAILABLE. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: RBAC_UNAVAILABLE, STORAGE_BUSY, CHAIN_NOT_READY, STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: STORAGE_TIMEOUT. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getApiServicesDownloadLinkGrantName: {
        parameters: {
            query?: never;
            header?: {
                /** @description The bytes wanted, as in RFC 9110, for example bytes=0-1023. */
                Range?: string;
                /** @description Validator (ETag or Last-Modified of an earlier response) that the range depends on. */
                "If-Range"?: string;
                /** @description ETag of a cached copy: 304 if it still matches. */
                "If-None-Match"?: string;
                /** @description Time of a cached copy: 304 if the file is not newer. */
                "If-Modified-Since"?: string;
            };
            path: {
                /**
                 * @description What the link entitles to, sealed.
                 * @example b3BhcXVl
                 */
                grant: string;
                /**
                 * @description The name of the file, for programs that take it from the URL. Any other, or none, may replace it.
                 * @example file-0
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    /** @description attachment, with the name of the file */
                    "Content-Disposition"?: string;
                    /** @description The range of bytes, and the total */
                    "Content-Range"?: string;
                    /** @description The service's own validator of this file; it replaces the storage's and reveals nothing about it */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description A part of the file. */
            206: {
                headers: {
                    /** @description attachment, with the name of the file */
                    "Content-Disposition"?: string;
                    /** @description The range of bytes, and the total */
                    "Content-Range"?: string;
                    /** @description The service's own validator of this file; it replaces the storage's and reveals nothing about it */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description Not modified. */
            304: {
                headers: {
                    /** @description The service's own validator of this file; it replaces the storage's and reveals nothing about it */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: DID_NOT_RESOLVED, UNKNOWN_SERVICE, FILES_UNREADABLE, NO_SUCH_FILE, ORDER_NOT_FOUND, ORDER_REVERTED, ORDER_UNCONFIRMED, ORDER_NO_EVENT, ORDER_WRONG_SERVICE, ORDER_UNDERPAID, ORDER_WRONG_CONSUMER, ORDER_BAD_FEE, ORDER_QUOTE_EXPIRED, ORDER_EXPIRED, ORDER_WRONG_FILE, ORDER_WRONG_ENVIRONMENT, ORDER_COMPUTE_ENDED, ORDER_BAD_REUSE, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: NOT_AN_ACCESS_SERVICE, ASSET_NOT_CONSUMABLE, CREDENTIALS_DENIED, PURGATORY, RBAC_DENIED, LINK_INVALID. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: ORDER_FILE_GONE, LINK_EXPIRED, LINK_REVOKED, LINK_FILE_GONE. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The range lies outside of the file. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description One of: CONSUMER_LIMITED. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: TAKEN_DOWN. */
            451: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: CREDENTIALS_UNAVAILABLE, STORAGE_REFUSED, CHAIN_UNAVAILABLE. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: RBAC_UNAVAILABLE, STORAGE_BUSY, CHAIN_NOT_READY, STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: STORAGE_TIMEOUT. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getApiServicesDownloadLinkGrantNameHead: {
        parameters: {
            query?: never;
            header?: {
                /** @description The bytes wanted, as in RFC 9110, for example bytes=0-1023. */
                Range?: string;
                /** @description Validator (ETag or Last-Modified of an earlier response) that the range depends on. */
                "If-Range"?: string;
                /** @description ETag of a cached copy: 304 if it still matches. */
                "If-None-Match"?: string;
                /** @description Time of a cached copy: 304 if the file is not newer. */
                "If-Modified-Since"?: string;
            };
            path: {
                /**
                 * @description What the link entitles to, sealed.
                 * @example b3BhcXVl
                 */
                grant: string;
                /**
                 * @description The name of the file, for programs that take it from the URL. Any other, or none, may replace it.
                 * @example file-0
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A part of the file. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not modified. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: DID_NOT_RESOLVED, UNKNOWN_SERVICE, FILES_UNREADABLE, NO_SUCH_FILE, ORDER_NOT_FOUND, ORDER_REVERTED, ORDER_UNCONFIRMED, ORDER_NO_EVENT, ORDER_WRONG_SERVICE, ORDER_UNDERPAID, ORDER_WRONG_CONSUMER, ORDER_BAD_FEE, ORDER_QUOTE_EXPIRED, ORDER_EXPIRED, ORDER_WRONG_FILE, ORDER_WRONG_ENVIRONMENT, ORDER_COMPUTE_ENDED, ORDER_BAD_REUSE, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: NOT_AN_ACCESS_SERVICE, ASSET_NOT_CONSUMABLE, CREDENTIALS_DENIED, PURGATORY, RBAC_DENIED, LINK_INVALID. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: ORDER_FILE_GONE, LINK_EXPIRED, LINK_REVOKED, LINK_FILE_GONE. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The range lies outside of the file. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: CONSUMER_LIMITED. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: TAKEN_DOWN. */
            451: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: CREDENTIALS_UNAVAILABLE, STORAGE_REFUSED, CHAIN_UNAVAILABLE. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: RBAC_UNAVAILABLE, STORAGE_BUSY, CHAIN_NOT_READY, STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: STORAGE_TIMEOUT. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getApiServicesUploads: {
        parameters: {
            query?: {
                /**
                 * @description Address of the publisher; with an auth token it may be left out.
                 * @example 0xe2DD09d719Da89e5a3D0F2549c7E24566e947260
                 */
                address?: string;
                /**
                 * @description Chain of the address, if it is a contract wallet, signs, and several chains are served. A token holds its own.
                 * @example 8996
                 */
                chainId?: number;
                /**
                 * @description Decimal number greater than the last one that the address used; the UTC time in milliseconds is a good choice.
                 * @example 1
                 */
                nonce?: number | string;
                /**
                 * @description Signature of the keccak-256 hash of the message as an EIP-191 personal message: 65 bytes of hex (r, s, v); of a contract wallet whatever it accepts, up to 8,192 bytes, also wrapped by ERC-6492.
                 * @example 0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
                 */
                signature?: string;
                /**
                 * @description The id that the page follows: `next` of the last one.
                 * @example tide-access
                 */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        uploads: {
                            id: string;
                            size: number | null;
                            /** @description Bytes that are there. */
                            offset: number;
                            sha256: string | null;
                            name: string | null;
                            contentType: string | null;
                            object?: Record<string, never> | null;
                            publicUrl?: string | null;
                            expires: number | null;
                            /** @description DIDs of the first assets that use the file. */
                            assets: string[];
                        }[];
                        next?: string;
                    };
                };
            };
            /** @description One of: VALIDATION, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: HOSTING_OFF. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    uploads: {
        parameters: {
            query?: {
                /**
                 * @description Address of the publisher; with an auth token it may be left out.
                 * @example 0xe2DD09d719Da89e5a3D0F2549c7E24566e947260
                 */
                address?: string;
                /**
                 * @description Chain of the address, if it is a contract wallet, signs, and several chains are served. A token holds its own.
                 * @example 8996
                 */
                chainId?: number;
                /**
                 * @description Decimal number greater than the last one that the address used; the UTC time in milliseconds is a good choice.
                 * @example 1
                 */
                nonce?: number | string;
                /**
                 * @description Signature of the keccak-256 hash of the message as an EIP-191 personal message: 65 bytes of hex (r, s, v); of a contract wallet whatever it accepts, up to 8,192 bytes, also wrapped by ERC-6492.
                 * @example 0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
                 */
                signature?: string;
            };
            header?: {
                /** @description 1.0.0 */
                "Tus-Resumable"?: string;
                /** @description Checksum of this part: sha1 or sha256, a space, and the value as base64. */
                "Upload-Checksum"?: string;
                /** @description Bytes of the file. */
                "Upload-Length"?: string;
                /** @description 1 instead of Upload-Length, if the length is unknown. */
                "Upload-Defer-Length"?: string;
                /** @description partial, or final, a semicolon, and the URLs of up to 64 complete partial uploads, separated by spaces. */
                "Upload-Concat"?: string;
                /** @description Up to 128 visible characters, chosen anew for each file: the same request again finds the upload that it has begun. */
                "Idempotency-Key"?: string;
                /** @description filename and filetype, each with its value as base64, separated by a comma; and public, without a value, if anybody may read the file. */
                "Upload-Metadata"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    /** @description Bytes that are durable */
                    "Upload-Offset"?: number;
                    /** @description URL of the upload */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: VALIDATION, UPLOAD_INVALID, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: NOT_A_PUBLISHER, UPLOAD_QUOTA. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: HOSTING_OFF. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: UPLOAD_LOST. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: UPLOAD_VERSION. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: UPLOAD_TOO_LARGE, BODY_TOO_LARGE. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_CONTENT_TYPE. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: RANGE_NOT_SATISFIABLE. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_EXPECTATION. */
            417: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: UPLOAD_LOCKED. */
            423: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: HEADERS_TOO_LARGE. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: UPLOAD_CHECKSUM. */
            460: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: HOSTING_UNAVAILABLE, STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: HOSTING_FULL. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getApiServicesUploadsId: {
        parameters: {
            query?: {
                /**
                 * @description Address of the publisher; with an auth token it may be left out.
                 * @example 0xe2DD09d719Da89e5a3D0F2549c7E24566e947260
                 */
                address?: string;
                /**
                 * @description Chain of the address, if it is a contract wallet, signs, and several chains are served. A token holds its own.
                 * @example 8996
                 */
                chainId?: number;
                /**
                 * @description Decimal number greater than the last one that the address used; the UTC time in milliseconds is a good choice.
                 * @example 1
                 */
                nonce?: number | string;
                /**
                 * @description Signature of the keccak-256 hash of the message as an EIP-191 personal message: 65 bytes of hex (r, s, v); of a contract wallet whatever it accepts, up to 8,192 bytes, also wrapped by ERC-6492.
                 * @example 0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
                 */
                signature?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the file: a secret of its publisher.
                 * @example xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        size: number | null;
                        /** @description Bytes that are there. */
                        offset: number;
                        sha256: string | null;
                        name: string | null;
                        contentType: string | null;
                        object?: Record<string, never> | null;
                        publicUrl?: string | null;
                        expires: number | null;
                    };
                };
            };
            /** @description One of: VALIDATION, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: HOSTING_OFF, UPLOAD_NOT_FOUND. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: UPLOAD_VERSION. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteApiServicesUploadsId: {
        parameters: {
            query?: {
                /**
                 * @description Address of the publisher; with an auth token it may be left out.
                 * @example 0xe2DD09d719Da89e5a3D0F2549c7E24566e947260
                 */
                address?: string;
                /**
                 * @description Chain of the address, if it is a contract wallet, signs, and several chains are served. A token holds its own.
                 * @example 8996
                 */
                chainId?: number;
                /**
                 * @description Decimal number greater than the last one that the address used; the UTC time in milliseconds is a good choice.
                 * @example 1
                 */
                nonce?: number | string;
                /**
                 * @description Signature of the keccak-256 hash of the message as an EIP-191 personal message: 65 bytes of hex (r, s, v); of a contract wallet whatever it accepts, up to 8,192 bytes, also wrapped by ERC-6492.
                 * @example 0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
                 */
                signature?: string;
                /**
                 * @description Delete the file although assets use it.
                 * @example true
                 */
                force?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the file: a secret of its publisher.
                 * @example xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: VALIDATION, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: HOSTING_OFF, UPLOAD_NOT_FOUND. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: UPLOAD_IN_USE. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: UPLOAD_VERSION. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BODY_TOO_LARGE. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_CONTENT_TYPE. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: RANGE_NOT_SATISFIABLE. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_EXPECTATION. */
            417: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: HEADERS_TOO_LARGE. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getApiServicesUploadsIdHead: {
        parameters: {
            query?: {
                /**
                 * @description Address of the publisher; with an auth token it may be left out.
                 * @example 0xe2DD09d719Da89e5a3D0F2549c7E24566e947260
                 */
                address?: string;
                /**
                 * @description Chain of the address, if it is a contract wallet, signs, and several chains are served. A token holds its own.
                 * @example 8996
                 */
                chainId?: number;
                /**
                 * @description Decimal number greater than the last one that the address used; the UTC time in milliseconds is a good choice.
                 * @example 1
                 */
                nonce?: number | string;
                /**
                 * @description Signature of the keccak-256 hash of the message as an EIP-191 personal message: 65 bytes of hex (r, s, v); of a contract wallet whatever it accepts, up to 8,192 bytes, also wrapped by ERC-6492.
                 * @example 0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
                 */
                signature?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the file: a secret of its publisher.
                 * @example xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: VALIDATION, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: HOSTING_OFF, UPLOAD_NOT_FOUND. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: UPLOAD_VERSION. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    patchApiServicesUploadsId: {
        parameters: {
            query?: {
                /**
                 * @description Address of the publisher; with an auth token it may be left out.
                 * @example 0xe2DD09d719Da89e5a3D0F2549c7E24566e947260
                 */
                address?: string;
                /**
                 * @description Chain of the address, if it is a contract wallet, signs, and several chains are served. A token holds its own.
                 * @example 8996
                 */
                chainId?: number;
                /**
                 * @description Decimal number greater than the last one that the address used; the UTC time in milliseconds is a good choice.
                 * @example 1
                 */
                nonce?: number | string;
                /**
                 * @description Signature of the keccak-256 hash of the message as an EIP-191 personal message: 65 bytes of hex (r, s, v); of a contract wallet whatever it accepts, up to 8,192 bytes, also wrapped by ERC-6492.
                 * @example 0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
                 */
                signature?: string;
            };
            header?: {
                /** @description 1.0.0 */
                "Tus-Resumable"?: string;
                /** @description Checksum of this part: sha1 or sha256, a space, and the value as base64. */
                "Upload-Checksum"?: string;
                /** @description Bytes received so far. */
                "Upload-Offset"?: string;
                /** @description Bytes of the file, once, if the upload began with Upload-Defer-Length. */
                "Upload-Length"?: string;
            };
            path: {
                /**
                 * @description Id of the file: a secret of its publisher.
                 * @example xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Taken. */
            204: {
                headers: {
                    /** @description Bytes that are durable */
                    "Upload-Offset"?: number;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: VALIDATION, UPLOAD_INVALID, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: UPLOAD_FINAL, UPLOAD_QUOTA. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: HOSTING_OFF, UPLOAD_NOT_FOUND. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: UPLOAD_CONFLICT. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: UPLOAD_LOST. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: UPLOAD_VERSION. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: UPLOAD_TOO_LARGE, BODY_TOO_LARGE. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: UPLOAD_TYPE, BAD_CONTENT_TYPE. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: RANGE_NOT_SATISFIABLE. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_EXPECTATION. */
            417: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: UPLOAD_LOCKED. */
            423: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: HEADERS_TOO_LARGE. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: UPLOAD_CHECKSUM. */
            460: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: HOSTING_UNAVAILABLE, STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: HOSTING_FULL. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getApiServicesPublicIdName: {
        parameters: {
            query?: never;
            header?: {
                /** @description The bytes wanted, as in RFC 9110, for example bytes=0-1023. */
                Range?: string;
                /** @description Validator (ETag or Last-Modified of an earlier response) that the range depends on. */
                "If-Range"?: string;
                /** @description ETag of a cached copy: 304 if it still matches. */
                "If-None-Match"?: string;
                /** @description Time of a cached copy: 304 if the file is not newer. */
                "If-Modified-Since"?: string;
            };
            path: {
                /**
                 * @description Id of the file.
                 * @example xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                 */
                id: string;
                /**
                 * @description Name of the file.
                 * @example terms.md
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    /** @description attachment, with the name of the file */
                    "Content-Disposition"?: string;
                    /** @description The range of bytes, and the total */
                    "Content-Range"?: string;
                    /** @description The service's own validator of this file; it replaces the storage's and reveals nothing about it */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description A part of the file. */
            206: {
                headers: {
                    /** @description attachment, with the name of the file */
                    "Content-Disposition"?: string;
                    /** @description The range of bytes, and the total */
                    "Content-Range"?: string;
                    /** @description The service's own validator of this file; it replaces the storage's and reveals nothing about it */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description Not modified. */
            304: {
                headers: {
                    /** @description The service's own validator of this file; it replaces the storage's and reveals nothing about it */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: PURGATORY. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: HOSTING_OFF, UPLOAD_NOT_FOUND. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The range lies outside of the file. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description One of: TAKEN_DOWN. */
            451: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: STORAGE_REFUSED. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getApiServicesPublicIdNameHead: {
        parameters: {
            query?: never;
            header?: {
                /** @description The bytes wanted, as in RFC 9110, for example bytes=0-1023. */
                Range?: string;
                /** @description Validator (ETag or Last-Modified of an earlier response) that the range depends on. */
                "If-Range"?: string;
                /** @description ETag of a cached copy: 304 if it still matches. */
                "If-None-Match"?: string;
                /** @description Time of a cached copy: 304 if the file is not newer. */
                "If-Modified-Since"?: string;
            };
            path: {
                /**
                 * @description Id of the file.
                 * @example xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                 */
                id: string;
                /**
                 * @description Name of the file.
                 * @example terms.md
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A part of the file. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not modified. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: PURGATORY. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: HOSTING_OFF, UPLOAD_NOT_FOUND. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The range lies outside of the file. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: TAKEN_DOWN. */
            451: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: STORAGE_REFUSED. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    createAuthToken: {
        parameters: {
            query: {
                /**
                 * @description Ethereum address, in any case.
                 * @example 0xe2DD09d719Da89e5a3D0F2549c7E24566e947260
                 */
                address?: string;
                /**
                 * @description Chain of the address, if it is a contract wallet and several chains are served.
                 * @example 8996
                 */
                chainId?: number;
                /**
                 * @description Decimal number greater than the last one that the address used; the UTC time in milliseconds is a good choice.
                 * @example 1
                 */
                nonce: number | string;
                /**
                 * @description Signature of the keccak-256 hash of the message as an EIP-191 personal message: 65 bytes of hex (r, s, v); of a contract wallet whatever it accepts, up to 8,192 bytes, also wrapped by ERC-6492.
                 * @example 0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
                 */
                signature: string;
                /**
                 * @description Expiry of the token, in seconds since 1970 (UTC), in the future.
                 * @example 4102444800
                 */
                expiration: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        token: string;
                    };
                };
            };
            /** @description One of: VALIDATION, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteAuthToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description The signature, if it is not sent as a parameter. */
                signature?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Ethereum address, in any case.
                     * @example 0xe2DD09d719Da89e5a3D0F2549c7E24566e947260
                     */
                    address?: string;
                    /**
                     * @description Chain of the address, if it is a contract wallet and several chains are served.
                     * @example 8996
                     */
                    chainId?: number;
                    /**
                     * @description Decimal number greater than the last one that the address used; the UTC time in milliseconds is a good choice.
                     * @example 1
                     */
                    nonce: number | string;
                    /**
                     * @description Signature of the keccak-256 hash of the message as an EIP-191 personal message: 65 bytes of hex (r, s, v); of a contract wallet whatever it accepts, up to 8,192 bytes, also wrapped by ERC-6492.
                     * @example 0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
                     */
                    signature?: string;
                    /**
                     * @description The auth token (a JWT).
                     * @example eyJhbGciOiJIUzI1NiJ9.eyJhZGRyZXNzIjoiMHgifQ.c2ln
                     */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The token is deleted permanently. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: string;
                    };
                };
            };
            /** @description One of: VALIDATION, TOKEN_EXPIRED, TOKEN_DELETED, TOKEN_INVALID, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BODY_TOO_LARGE. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_CONTENT_TYPE. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: RANGE_NOT_SATISFIABLE. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_EXPECTATION. */
            417: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: HEADERS_TOO_LARGE. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    generateAuthToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Ethereum address, in any case.
                     * @example 0xe2DD09d719Da89e5a3D0F2549c7E24566e947260
                     */
                    address?: string;
                    /**
                     * @description Chain of the address, if it is a contract wallet and several chains are served.
                     * @example 8996
                     */
                    chainId?: number;
                    /**
                     * @description Decimal number greater than the last one that the address used; the UTC time in milliseconds is a good choice.
                     * @example 1
                     */
                    nonce?: number | string;
                    /**
                     * @description Signature of the keccak-256 hash of the message as an EIP-191 personal message: 65 bytes of hex (r, s, v); of a contract wallet whatever it accepts, up to 8,192 bytes, also wrapped by ERC-6492.
                     * @example 0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
                     */
                    signature: string;
                    /**
                     * @description Message of EIP-4361: domain is the host of the provider (with its port where the scheme has another), URI its base URL, Chain ID a served chain, Nonce a number as elsewhere of at least 8 digits, Expiration Time that of the token. The text itself is signed as an EIP-191 personal message.
                     * @example provider.example wants you to sign in with your Ethereum account:
                     */
                    message?: string;
                    /**
                     * @description Expiry of the token, in seconds since 1970 (UTC), in the future.
                     * @example 4102444800
                     */
                    validUntil?: number;
                };
            };
        };
        responses: {
            /** @description The token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        token: string;
                    };
                };
            };
            /** @description One of: VALIDATION, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BODY_TOO_LARGE. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_CONTENT_TYPE. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: RANGE_NOT_SATISFIABLE. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_EXPECTATION. */
            417: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: HEADERS_TOO_LARGE. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    invalidateAuthToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Ethereum address, in any case.
                     * @example 0xe2DD09d719Da89e5a3D0F2549c7E24566e947260
                     */
                    address?: string;
                    /**
                     * @description Chain of the address, if it is a contract wallet and several chains are served.
                     * @example 8996
                     */
                    chainId?: number;
                    /**
                     * @description Decimal number greater than the last one that the address used; the UTC time in milliseconds is a good choice.
                     * @example 1
                     */
                    nonce?: number | string;
                    /**
                     * @description Signature of the keccak-256 hash of the message as an EIP-191 personal message: 65 bytes of hex (r, s, v); of a contract wallet whatever it accepts, up to 8,192 bytes, also wrapped by ERC-6492.
                     * @example 0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
                     */
                    signature: string;
                    /**
                     * @description Message of EIP-4361: domain is the host of the provider (with its port where the scheme has another), URI its base URL, Chain ID a served chain, Nonce a number as elsewhere of at least 8 digits, Expiration Time that of the token. The text itself is signed as an EIP-191 personal message.
                     * @example provider.example wants you to sign in with your Ethereum account:
                     */
                    message?: string;
                    /**
                     * @description The auth token (a JWT).
                     * @example eyJhbGciOiJIUzI1NiJ9.eyJhZGRyZXNzIjoiMHgifQ.c2ln
                     */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The token is deleted permanently. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        message: string;
                    };
                };
            };
            /** @description One of: VALIDATION, TOKEN_EXPIRED, TOKEN_DELETED, TOKEN_INVALID, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BODY_TOO_LARGE. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_CONTENT_TYPE. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: RANGE_NOT_SATISFIABLE. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_EXPECTATION. */
            417: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: HEADERS_TOO_LARGE. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getApiAquariusAssetsDdoDid: {
        parameters: {
            query?: {
                /**
                 * @description Address that signed. Needed with a signature, if the operator restricts encrypted documents to certain addresses.
                 * @example 0xe2DD09d719Da89e5a3D0F2549c7E24566e947260
                 */
                decrypterAddress?: string;
                /**
                 * @description Decimal number greater than the last one that the address used; the UTC time in milliseconds is a good choice.
                 * @example 1
                 */
                nonce?: number | string;
                /**
                 * @description Signature of the keccak-256 hash of the message as an EIP-191 personal message: 65 bytes of hex (r, s, v); of a contract wallet whatever it accepts, up to 8,192 bytes, also wrapped by ERC-6492.
                 * @example 0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
                 */
                signature?: string;
            };
            header?: never;
            path: {
                /**
                 * @description DID of the asset.
                 * @example did:op:0000
                 */
                did: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description One of: VALIDATION, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: DECRYPTER_DENIED. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: ASSET_NOT_FOUND. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: TAKEN_DOWN. */
            451: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: CHAIN_UNAVAILABLE. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: SANDBOX_UNAVAILABLE, STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getApiAquariusAssetsMetadataDid: {
        parameters: {
            query?: {
                /**
                 * @description Address that signed. Needed with a signature, if the operator restricts encrypted documents to certain addresses.
                 * @example 0xe2DD09d719Da89e5a3D0F2549c7E24566e947260
                 */
                decrypterAddress?: string;
                /**
                 * @description Decimal number greater than the last one that the address used; the UTC time in milliseconds is a good choice.
                 * @example 1
                 */
                nonce?: number | string;
                /**
                 * @description Signature of the keccak-256 hash of the message as an EIP-191 personal message: 65 bytes of hex (r, s, v); of a contract wallet whatever it accepts, up to 8,192 bytes, also wrapped by ERC-6492.
                 * @example 0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
                 */
                signature?: string;
            };
            header?: never;
            path: {
                /**
                 * @description DID of the asset.
                 * @example did:op:0000
                 */
                did: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metadata. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description One of: VALIDATION, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: DECRYPTER_DENIED. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: ASSET_NOT_FOUND. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: TAKEN_DOWN. */
            451: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: CHAIN_UNAVAILABLE. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: SANDBOX_UNAVAILABLE, STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getApiAquariusAssetsHidden: {
        parameters: {
            query: {
                /**
                 * @description Owner of the data NFTs at their creation.
                 * @example 0xe2DD09d719Da89e5a3D0F2549c7E24566e947260
                 */
                owner: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The documents. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>[];
                };
            };
            /** @description One of: VALIDATION, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: CHAIN_UNAVAILABLE. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postApiAquariusAssetsDdoValidate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The DDO as JSON text, by itself or in an envelope with a signature. */
        requestBody: {
            content: {
                "application/octet-stream": unknown;
            };
        };
        responses: {
            /** @description The hash and its signature. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        hash: string;
                        publicKey: string;
                        /** @enum {unknown} */
                        v: 27 | 28;
                        r: string[];
                        s: string[];
                    };
                };
            };
            /** @description One of: VALIDATION, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BODY_TOO_LARGE. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_CONTENT_TYPE. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: RANGE_NOT_SATISFIABLE. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_EXPECTATION. */
            417: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: HEADERS_TOO_LARGE. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: CHAIN_UNAVAILABLE. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: SANDBOX_UNAVAILABLE, STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postApiAquariusAssetsQuery: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description A search in the query language of Ocean metadata caches: the part that docs/search.md lists. */
        requestBody: {
            content: {
                "application/json": {
                    query?: Record<string, never>;
                    from?: number;
                    size?: number;
                    sort?: unknown;
                    _source?: unknown;
                    aggs?: Record<string, never>;
                    track_total_hits?: boolean | number;
                    terminate_after?: number;
                };
            };
        };
        responses: {
            /** @description The hits of the page, with scores. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        took: number;
                        /** @constant */
                        timed_out: false;
                        _shards: Record<string, never>;
                        hits: {
                            total?: Record<string, never>;
                            max_score: number | null;
                            hits: unknown[];
                        };
                        aggregations?: Record<string, never>;
                    };
                };
            };
            /** @description One of: VALIDATION, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BODY_TOO_LARGE. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_CONTENT_TYPE. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: RANGE_NOT_SATISFIABLE. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_EXPECTATION. */
            417: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: HEADERS_TOO_LARGE. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: CHAIN_UNAVAILABLE. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: SEARCH_UNAVAILABLE, STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postApiAquariusAssetsMetadataQuery: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description A search in the query language of Ocean metadata caches: the part that docs/search.md lists. */
        requestBody: {
            content: {
                "application/json": {
                    query?: Record<string, never>;
                    from?: number;
                    size?: number;
                    sort?: unknown;
                    _source?: unknown;
                    aggs?: Record<string, never>;
                    track_total_hits?: boolean | number;
                    terminate_after?: number;
                };
            };
        };
        responses: {
            /** @description The documents of the page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>[];
                };
            };
            /** @description One of: VALIDATION, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BODY_TOO_LARGE. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_CONTENT_TYPE. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: RANGE_NOT_SATISFIABLE. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_EXPECTATION. */
            417: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: HEADERS_TOO_LARGE. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: CHAIN_UNAVAILABLE. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: SEARCH_UNAVAILABLE, STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postApiAquariusAssetsNames: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The DIDs of the assets. */
        requestBody: {
            content: {
                "application/json": {
                    didList: string[];
                };
            };
        };
        responses: {
            /** @description The names by DID. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string;
                    };
                };
            };
            /** @description One of: VALIDATION, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BODY_TOO_LARGE. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_CONTENT_TYPE. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: RANGE_NOT_SATISFIABLE. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_EXPECTATION. */
            417: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: HEADERS_TOO_LARGE. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: CHAIN_UNAVAILABLE. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: SEARCH_UNAVAILABLE, STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    assetPage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description DID of the asset.
                 * @example did:op:0000
                 */
                did: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description One of: BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The catalogue has no such asset. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: TAKEN_DOWN. */
            451: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: CHAIN_UNAVAILABLE. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: SEARCH_UNAVAILABLE, STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    assetDescription: {
        parameters: {
            query?: {
                /**
                 * @description The format: schema.org, croissant, dcat. Default: by the profile in Accept, otherwise schema.org.
                 * @example croissant
                 */
                format?: string;
            };
            header?: {
                /** @description application/ld+json, with a profile for Croissant or DCAT. */
                Accept?: string;
            };
            path: {
                /**
                 * @description DID of the asset.
                 * @example did:op:0000
                 */
                did: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The description. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/ld+json": Record<string, never>;
                };
            };
            /** @description One of: VALIDATION, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: ROUTE_NOT_FOUND, ASSET_NOT_FOUND. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: TAKEN_DOWN. */
            451: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: CHAIN_UNAVAILABLE. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: SEARCH_UNAVAILABLE, STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    catalogue: {
        parameters: {
            query?: {
                /**
                 * @description Number of the page, from 1.
                 * @example 1
                 */
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description One of: VALIDATION, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: ROUTE_NOT_FOUND. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: CHAIN_UNAVAILABLE. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: SEARCH_UNAVAILABLE, STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    catalogueDcat: {
        parameters: {
            query?: {
                /**
                 * @description Number of the page, from 1.
                 * @example 1
                 */
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/ld+json": Record<string, never>;
                };
            };
            /** @description One of: VALIDATION, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: ROUTE_NOT_FOUND. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: CHAIN_UNAVAILABLE. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: SEARCH_UNAVAILABLE, STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSitemapXml: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The index. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/xml": string;
                };
            };
            /** @description One of: BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: ROUTE_NOT_FOUND. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: CHAIN_UNAVAILABLE. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: SEARCH_UNAVAILABLE, STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSitemapPageXml: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Number of the sitemap, from 1.
                 * @example 1
                 */
                page: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sitemap. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/xml": string;
                };
            };
            /** @description One of: BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: ROUTE_NOT_FOUND. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: CHAIN_UNAVAILABLE. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: SEARCH_UNAVAILABLE, STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRobotsTxt: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rules. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description One of: BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: ROUTE_NOT_FOUND. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getApiServicesStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The status. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        version: string;
                        ready: boolean;
                        chains: {
                            chainId: number;
                            /** @description Whether the index is close to a recently seen head, and the clock agrees with it. */
                            ready: boolean;
                            /** @description Head of the chain when it was last seen. */
                            head: number | null;
                            /** @description Last block that the index has read. */
                            block: number | null;
                            /** @description Blocks left to read. */
                            lag: number | null;
                            /** @description Milliseconds since the head was last seen. */
                            age: number | null;
                        }[];
                        limits: {
                            filesPerService: number;
                            /** @description Bytes of a document. */
                            documentSize: number;
                            /** @description Seconds for which a download link is valid. */
                            linkLifetime: number;
                            /** @description Bytes up to which checksums are computed. */
                            checksumLength: number;
                            /** @description Requests of one address. */
                            requestsPerMinute?: number;
                            /** @description Bytes of files for one address. */
                            bytesPerMinute?: number;
                            /** @description Downloads of one consumer. */
                            requestsPerDay?: number;
                            /** @description Bytes of files for one consumer. */
                            bytesPerDay?: number;
                        };
                    };
                };
            };
            /** @description One of: BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postMcp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description A JSON-RPC message. */
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    jsonrpc: "2.0";
                };
            };
        };
        responses: {
            /** @description The JSON-RPC response. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description A notification was accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description One of: VALIDATION, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BODY_TOO_LARGE. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_CONTENT_TYPE. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: RANGE_NOT_SATISFIABLE. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_EXPECTATION. */
            417: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: HEADERS_TOO_LARGE. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    directCommand: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The command. Only `status` is supported.
                     * @example status
                     */
                    command: string;
                };
            };
        };
        responses: {
            /** @description The status. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description libp2p peer id of the provider key. */
                        id: string;
                        /** @description Compressed public key, as hex without 0x. */
                        publicKey: string;
                        address: string;
                        version: string;
                        /** @constant */
                        http: true;
                        /** @constant */
                        p2p: false;
                        provider: {
                            chainId: string;
                            network: string;
                        }[];
                        indexer: {
                            chainId: string;
                            network: string;
                            block: string;
                        }[];
                        supportedStorage: {
                            [key: string]: boolean;
                        };
                        platform: {
                            [key: string]: string;
                        };
                        /** @description Seconds since the start. */
                        uptime: number;
                    };
                };
            };
            /** @description One of: VALIDATION, BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"] | components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BODY_TOO_LARGE. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_CONTENT_TYPE. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: RANGE_NOT_SATISFIABLE. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: BAD_EXPECTATION. */
            417: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: HEADERS_TOO_LARGE. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getLive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Live. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        live: true;
                    };
                };
            };
            /** @description One of: BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: STATE_UNAVAILABLE. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getReady: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ready. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        ready: boolean;
                        /** @description Whether the database is reachable and accepts writes. */
                        store: boolean;
                        /**
                         * @description The fault of the database, if there is one.
                         * @enum {unknown}
                         */
                        storeTrouble?: "full" | "corrupt" | "locked" | "gone" | "readonly" | "disk" | "refused" | "unreachable" | "failed";
                        /** @description Milliseconds since this instance last wrote to the database. */
                        lastWrite?: number | null;
                        /** @description Bytes left on the disk of the embedded database. */
                        diskLeft?: number | null;
                        chains: {
                            chainId: number;
                            /** @description Last block that the index has read. */
                            block: number | null;
                            /** @description Head of the chain when it was last seen, at a node that has the last block that the index read. */
                            head: number | null;
                            /** @description Milliseconds since the head was last seen. */
                            age: number | null;
                            /** @description Blocks left to read. */
                            lag: number | null;
                            /** @description Whether the chain has diverged from the blocks that the index read. */
                            astray: boolean;
                            /** @description Last block of the rebuild, while the index is being rebuilt. */
                            rereading: number | null;
                            /** @description Whether the index pauses: the disk has less space than INDEX_DISK_FLOOR. */
                            paused: boolean;
                            /** @description Whether each node answered when it was last asked, in the order of NETWORK_URL. */
                            nodes: boolean[];
                            /** @description False if no node knows a contract at the address of the factory. */
                            factory: boolean;
                            /** @description Seconds by which the clock of this machine is provably ahead of the chain, negative if it is behind; 0 if nothing proves an error, null while no head was seen. */
                            clock: number | null;
                            ready: boolean;
                            /** @description Nodes that fail, or were found not to do something; absent if there is none. */
                            limits?: {
                                /** @description Host of the node. */
                                node: string;
                                /** @description Each limit in words, and why the node fails if it does. */
                                limits: string[];
                            }[];
                        }[];
                    };
                };
            };
            /** @description One of: BAD_BODY, BAD_URL, BAD_HOST, BAD_REQUEST. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: METHOD_NOT_ALLOWED. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: REQUEST_TIMEOUT. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description One of: INTERNAL. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not ready. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        ready: boolean;
                        /** @description Whether the database is reachable and accepts writes. */
                        store: boolean;
                        /**
                         * @description The fault of the database, if there is one.
                         * @enum {unknown}
                         */
                        storeTrouble?: "full" | "corrupt" | "locked" | "gone" | "readonly" | "disk" | "refused" | "unreachable" | "failed";
                        /** @description Milliseconds since this instance last wrote to the database. */
                        lastWrite?: number | null;
                        /** @description Bytes left on the disk of the embedded database. */
                        diskLeft?: number | null;
                        chains: {
                            chainId: number;
                            /** @description Last block that the index has read. */
                            block: number | null;
                            /** @description Head of the chain when it was last seen, at a node that has the last block that the index read. */
                            head: number | null;
                            /** @description Milliseconds since the head was last seen. */
                            age: number | null;
                            /** @description Blocks left to read. */
                            lag: number | null;
                            /** @description Whether the chain has diverged from the blocks that the index read. */
                            astray: boolean;
                            /** @description Last block of the rebuild, while the index is being rebuilt. */
                            rereading: number | null;
                            /** @description Whether the index pauses: the disk has less space than INDEX_DISK_FLOOR. */
                            paused: boolean;
                            /** @description Whether each node answered when it was last asked, in the order of NETWORK_URL. */
                            nodes: boolean[];
                            /** @description False if no node knows a contract at the address of the factory. */
                            factory: boolean;
                            /** @description Seconds by which the clock of this machine is provably ahead of the chain, negative if it is behind; 0 if nothing proves an error, null while no head was seen. */
                            clock: number | null;
                            ready: boolean;
                            /** @description Nodes that fail, or were found not to do something; absent if there is none. */
                            limits?: {
                                /** @description Host of the node. */
                                node: string;
                                /** @description Each limit in words, and why the node fails if it does. */
                                limits: string[];
                            }[];
                        }[];
                    };
                };
            };
        };
    };
}
