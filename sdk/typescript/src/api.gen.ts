// Generated from docs/openapi.yaml by scripts/generate.mjs. Do not edit.

export interface paths {
    "/v1/analytics/channels/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the analytics of a channel
         * @description Returns the channel's figures per day, in the time zone of its network, for a range of at most 365 days. Figures are read once a day. A figure that the network does not report is null. Days without figures are omitted. The latest days may still change, because networks complete them late. A channel whose `capabilities.analytics` is false has no days.
         *
         *     Needs the scope `analytics:read`.
         */
        get: operations["get-channel-analytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/analytics/posts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the analytics of a post
         * @description Returns the snapshots of the post, one per day for 90 days after its publication, and the latest one. Figures are totals since publication. Figures are read once a day. A figure that the network does not report is null. `from` and `to` limit the snapshots to at most 365 days, but not `latest`. A post that is not published yet has no snapshots.
         *
         *     Needs the scope `analytics:read`.
         */
        get: operations["get-post-analytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/analytics/workspace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the analytics of the workspace
         * @description Returns the totals of the workspace and the figures of each channel, for a range of at most 365 days. Figures are read once a day. A figure that the network does not report is null. Likes, comments and shares are the increase within the range, for all posts. They decrease when the network lowers its counts.
         *
         *     Needs the scope `analytics:read`.
         */
        get: operations["get-workspace-analytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List channels
         * @description Returns the channels of the workspace, oldest first.
         *
         *     Needs the scope `channels:read`.
         */
        get: operations["list-channels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a channel
         * @description Returns a channel with its capabilities.
         *
         *     Needs the scope `channels:read`.
         */
        get: operations["get-channel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{id}/pinterest/boards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a channel's Pinterest boards
         * @description Returns the boards of a PINTEREST channel, read from Pinterest at most 30 seconds ago.
         *
         *     Needs the scope `channels:read`.
         */
        get: operations["list-pinterest-boards"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{id}/quota": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a channel's quota
         * @description Returns how many posts the network still accepts from the channel now. Posts of other programs count only where the network reports them (Instagram and Threads, read at most 30 seconds ago). simulate-posts returns the quota at another time.
         *
         *     Needs the scope `channels:read`.
         */
        get: operations["get-channel-quota"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{id}/schedule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a channel's posting schedule
         * @description Returns the channel's time slots and the next free slot. `next_slot` schedules posts into these slots.
         *
         *     Needs the scope `channels:read`.
         */
        get: operations["get-channel-schedule"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{id}/tiktok/creator-info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a channel's TikTok creator info
         * @description Returns the settings that the account of a TIKTOK_PERSONAL or TIKTOK_BUSINESS channel allows, read from TikTok at most 30 seconds ago.
         *
         *     Needs the scope `channels:read`.
         */
        get: operations["get-tiktok-creator-info"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events
         * @description Returns the workspace's events of the last 30 days, oldest first or, with `sort=-seq`, newest first. The list does not depend on webhooks. `nextCursor` is set on every page with events, also on the last one, where `hasMore` is false. It is null on a page without events. To poll without gaps, store the last cursor and send it with the next request. An event appears in the list once it has a `sequence`, moments after it is created.
         *
         *     Needs the scope `webhooks:manage`.
         */
        get: operations["list-events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an event
         * @description Returns an event of the last 30 days in the form that webhooks receive.
         *
         *     Needs the scope `webhooks:manage`.
         */
        get: operations["get-event"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/idea-boards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List idea boards
         * @description Returns the idea boards of the workspace with their columns and labels, oldest first. Every workspace is created with one board.
         *
         *     Needs the scope `ideas:read`.
         */
        get: operations["list-idea-boards"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/idea-boards/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an idea board
         * @description Returns a board with its columns, labels and cards. Cards are ordered by column from left to right, then from top to bottom. A board with more cards than `limit` has several pages. A card that is moved between two requests may be returned twice or not at all.
         *
         *     Needs the scope `ideas:read`.
         */
        get: operations["get-idea-board"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/idea-boards/{id}/cards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an idea card
         * @description Creates a card on a board, by default at the bottom of the first column. Returns 404 for a column or a label of another board. A board can have at most 2,000 cards.
         *
         *     Needs the scope `ideas:write`.
         */
        post: operations["create-idea-card"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/link-pages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List link pages
         * @description Returns every link page of the workspace, oldest first, without its blocks.
         *
         *     Needs the scope `links:read`.
         */
        get: operations["list-link-pages"];
        put?: never;
        /**
         * Create a link page
         * @description Creates a page as a draft. Add blocks, then publish it. The plan limits the number of pages of a workspace: 1 on FREE, 5 on CREATOR, 20 on GROWTH, 100 on AGENCY.
         *
         *     Needs the scope `links:write`.
         */
        post: operations["create-link-page"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/link-pages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a link page
         * @description Returns the draft of the page with its blocks, and the published version.
         *
         *     Needs the scope `links:read`.
         */
        get: operations["get-link-page"];
        put?: never;
        post?: never;
        /**
         * Delete a link page
         * @description Permanently deletes the page, its published version and its analytics. The handle becomes available again.
         *
         *     Needs the scope `links:write`.
         */
        delete: operations["delete-link-page"];
        options?: never;
        head?: never;
        /**
         * Update a link page
         * @description Changes handle, title, bio, SEO or theme of the draft. Omitted fields stay unchanged, also those of `seo` and `theme`. Visitors see the changes after the page is published.
         *
         *     Needs the scope `links:write`.
         */
        patch: operations["update-link-page"];
        trace?: never;
    };
    "/v1/link-pages/{id}/analytics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the analytics of a link page
         * @description Returns views, unique visitors and clicks per day, for at most 365 days, and the clicks on each block. On the plan FREE, visits are counted but cannot be read: 403 `QUOTA_EXCEEDED`.
         *
         *     Needs the scope `links:read`.
         */
        get: operations["get-link-page-analytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/link-pages/{id}/blocks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a block
         * @description Adds a block to the draft of the page, at the end or at `position`. A page has at most 100 blocks of 512 KiB in total. Every type has its own settings; unknown fields are rejected.
         *
         *     Needs the scope `links:write`.
         */
        post: operations["add-link-block"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/link-pages/{id}/blocks/order": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Order the blocks
         * @description Orders the blocks of the draft. The order must list every block once: a block that is missing from it may have been added by another client.
         *
         *     Needs the scope `links:write`.
         */
        put: operations["order-link-blocks"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/link-pages/{id}/blocks/{blockId}": {
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
         * Delete a block
         * @description Deletes a block from the draft. Visitors see it until the page is published again. Its clicks stay in the analytics of the page.
         *
         *     Needs the scope `links:write`.
         */
        delete: operations["delete-link-block"];
        options?: never;
        head?: never;
        /**
         * Update a block
         * @description Changes a block of the draft. `settings` is a merge patch (RFC 7396): omitted fields stay unchanged, and null removes an optional field. The type of a block never changes.
         *
         *     Needs the scope `links:write`.
         */
        patch: operations["update-link-block"];
        trace?: never;
    };
    "/v1/link-pages/{id}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish a link page
         * @description Publishes the draft at `url`. Visitors see it within seconds. A page without changes since its last publication stays unchanged, so the call can be repeated. Takes no body.
         *
         *     Needs the scope `links:write`.
         */
        post: operations["publish-link-page"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/link-pages/{id}/unpublish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unpublish a link page
         * @description Withdraws the published version within seconds and keeps the draft. Takes no body.
         *
         *     Needs the scope `links:write`.
         */
        post: operations["unpublish-link-page"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/media": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List media
         * @description Returns the assets of the workspace, newest first.
         *
         *     Needs the scope `media:write`.
         */
        get: operations["list-media"];
        put?: never;
        /**
         * Import a file by URL
         * @description Downloads the file and stores it. Responds when the import has ended, after at most 5 minutes. The import continues if the client disconnects, and its asset appears in the list. Supports JPEG, PNG, WebP, GIF, HEIC, MP4, MOV, WebM and PDF. The type is detected from the content; the URL and the Content-Type of the server are ignored. Follows at most 10 redirects. For a share link of Google Drive or Dropbox, imports the file that it shows. A repeated request with the same Idempotency-Key returns the current asset, or 404 if it has been deleted.
         *
         *     Plans: FREE: 50 MiB for a file, 1 GiB in all, 100 uploads and imports a month; CREATOR: 250 MiB for a file, 25 GiB in all, 1000 uploads and imports a month; GROWTH: 1 GiB for a file, 100 GiB in all, 5000 uploads and imports a month; AGENCY: 4 GiB for a file, 1 TiB in all, 50000 uploads and imports a month.
         *
         *     Needs the scope `media:write`.
         */
        post: operations["import-media"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/media/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start an upload
         * @description Starts an upload. Send the raw bytes to `uploadUrl` by PUT within an hour, with exactly the headers of the response. Then complete the upload. The declared size is checked against the quotas of the plan. It is reserved until the upload is completed, for at most two hours.
         *
         *     Plans: FREE: 50 MiB for a file, 1 GiB in all, 100 uploads and imports a month; CREATOR: 250 MiB for a file, 25 GiB in all, 1000 uploads and imports a month; GROWTH: 1 GiB for a file, 100 GiB in all, 5000 uploads and imports a month; AGENCY: 4 GiB for a file, 1 TiB in all, 50000 uploads and imports a month.
         *
         *     Needs the scope `media:write`.
         */
        post: operations["start-upload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/media/uploads/{id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete an upload
         * @description Creates the asset from the uploaded bytes. Their size and type must match the declared ones; otherwise the upload is rejected and must be started again. A repeated call returns the same asset. Takes no body.
         *
         *     Needs the scope `media:write`.
         */
        post: operations["complete-upload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/media/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a media asset
         * @description Returns an asset with new URLs of its file and its thumbnail.
         *
         *     Needs the scope `media:write`.
         */
        get: operations["get-media"];
        put?: never;
        post?: never;
        /**
         * Delete a media asset
         * @description Deletes the asset and its file. Returns 409 while the asset is used by a post (in any state), the brand kit of a channel, the logo of the workspace, or the avatar of a channel; `references` lists the uses.
         *
         *     Needs the scope `media:write`.
         */
        delete: operations["delete-media"];
        options?: never;
        head?: never;
        /**
         * Edit a media asset
         * @description Changes the name or the alternative text of the asset. Posts that are not published yet use the text, unless they have their own in `mediaAltTexts`.
         *
         *     Needs the scope `media:write`.
         */
        patch: operations["edit-media"];
        trace?: never;
    };
    "/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get this document
         * @description Returns the OpenAPI 3.0 document of the API, for client generators.
         *
         *     Public: needs no credential.
         */
        get: operations["get-openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List posts
         * @description Returns the posts of the workspace, newest first or in the order of `sort`. A post meets all of the filters, and one value of a repeated filter. The end of a range of times is exclusive. `scheduledFrom` and `scheduledTo` exclude posts without a scheduled time; such posts come last when sorted by `scheduledAt` or `-scheduledAt`. A cursor is valid only with the same filters and sort. It stays valid when posts are created or deleted.
         *
         *     Needs the scope `posts:write` or `posts:publish`.
         */
        get: operations["list-posts"];
        put?: never;
        /**
         * Create posts
         * @description Creates one post for each channel, or none if one of them is rejected. Posts other than drafts also need the scope `posts:publish` and must follow the rules of the channel's network. Drafts may break these rules. The posts share `groupId`. `variants` gives posts of single channels a text, media or options of their own.
         *
         *     Needs the scope `posts:write`.
         */
        post: operations["create-posts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create posts in bulk
         * @description Creates posts for up to 50 items, one after the other. A failed item does not affect the others. Returns the result of each item, in order. Scopes and rules are the same as for create-posts.
         *
         *     Needs the scope `posts:write`.
         */
        post: operations["create-posts-in-bulk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/bulk-update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change posts in bulk
         * @description Changes or deletes up to 50 posts, one after the other. A failed item does not affect the others. Each change has the rules, scopes and events of edit-post or delete-post. A post that is in the request twice is a fault of the request. With `dryRun` nothing is changed, and the results are what the request would do.
         *
         *     Needs the scope `posts:write`.
         */
        post: operations["update-posts-in-bulk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/linkedin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a LinkedIn post
         * @description Creates a post for a LINKEDIN_PROFILE or LINKEDIN_PAGE channel. The fields that the platform requires are checked at once, also for drafts. Its other rules are checked when the post is scheduled or published. Posts other than drafts also need the scope `posts:publish`.
         *
         *     Needs the scope `posts:write`.
         */
        post: operations["create-linkedin-post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/pinterest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a Pinterest post
         * @description Creates a pin on a board of a PINTEREST channel. The fields that the platform requires are checked at once, also for drafts. Its other rules are checked when the post is scheduled or published. Posts other than drafts also need the scope `posts:publish`.
         *
         *     Needs the scope `posts:write`.
         */
        post: operations["create-pinterest-post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/simulate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Simulate posts
         * @description Returns what would happen to the posts that create-posts would create from the body, or to up to 50 existing posts: when they would be published, the findings of validate-posts, converted attachments, the quota of the network, colliding posts, and the price. Creates and reserves nothing.
         *
         *     Needs the scope `posts:write`.
         */
        post: operations["simulate-posts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/tiktok": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a TikTok post
         * @description Creates a post for a TikTok channel: one video, or up to 35 photos. With `uploadToDraft` the post is sent to the creator's inbox, to be completed in the TikTok app; private accounts require it. Omitted interaction settings default to the account's settings. Interactions that the account has disabled stay disabled. `privacyLevel` is ignored: posts are public. The fields that the platform requires are checked at once, also for drafts. Its other rules are checked when the post is scheduled or published. Posts other than drafts also need the scope `posts:publish`.
         *
         *     Needs the scope `posts:write`.
         */
        post: operations["create-tiktok-post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Validate posts
         * @description Checks a post for each channel, and returns errors, which prevent publishing, and warnings. Creates nothing.
         *
         *     Needs the scope `posts:write`.
         */
        post: operations["validate-posts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/youtube": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a YouTube post
         * @description Creates a post for a YOUTUBE channel: one video, or a Short. The fields that the platform requires are checked at once, also for drafts. Its other rules are checked when the post is scheduled or published. Posts other than drafts also need the scope `posts:publish`.
         *
         *     Needs the scope `posts:write`.
         */
        post: operations["create-youtube-post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a post
         * @description Returns a post. `waiting` contains the reason why a SCHEDULED post is not published yet.
         *
         *     Needs the scope `posts:write` or `posts:publish`.
         */
        get: operations["get-post"];
        put?: never;
        post?: never;
        /**
         * Delete a post
         * @description Deletes the post permanently, in any state except PUBLISHED. After a successful response a SCHEDULED post is not published.
         *
         *     Needs the scope `posts:write`.
         */
        delete: operations["delete-post"];
        options?: never;
        head?: never;
        /**
         * Edit a post
         * @description Changes the content of the post. Requires status DRAFT, SCHEDULED or FAILED. A SCHEDULED post must follow the rules of its network; moving it by `scheduledAt` also needs the scope `posts:publish`.
         *
         *     Needs the scope `posts:write`.
         */
        patch: operations["edit-post"];
        trace?: never;
    };
    "/v1/posts/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve a post
         * @description Accepts a PENDING_APPROVAL post. It becomes SCHEDULED if its time is in the future, otherwise a DRAFT without a time.
         *
         *     Needs the scope `posts:publish`.
         */
        post: operations["approve-post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{id}/continue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Continue a post
         * @description Publishes the parts of a PUBLISHED post from the first that is not published (`partsState` INCOMPLETE); the parts before stay as they are. A part in status UNKNOWN may be on the network: look first, because it is published again. With `end` the parts that are not published are given up.
         *
         *     Needs the scope `posts:publish`.
         */
        post: operations["continue-parts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{id}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish a post
         * @description Queues the post for immediate publishing. It stays SCHEDULED until it is published: track it by its status or by webhooks. Requires status DRAFT, SCHEDULED or FAILED. Takes no body.
         *
         *     Needs the scope `posts:publish`.
         */
        post: operations["publish-post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{id}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reject a post
         * @description Moves a PENDING_APPROVAL post back to DRAFT, for its author to edit.
         *
         *     Needs the scope `posts:publish`.
         */
        post: operations["reject-post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{id}/request-approval": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request approval
         * @description Sends a DRAFT for approval: it becomes PENDING_APPROVAL. Takes no body.
         *
         *     Needs the scope `posts:write`.
         */
        post: operations["request-post-approval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{id}/schedule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Schedule a post
         * @description Sets or changes the time at which the post is published. `"schedule": "next_slot"` selects the next free slot of the channel's posting schedule. Requires status DRAFT, SCHEDULED or FAILED.
         *
         *     Needs the scope `posts:publish`.
         */
        post: operations["schedule-post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a post's timeline
         * @description Returns the history of the post, oldest first: every change, and every publish attempt with its outcome. It is kept until two years after the last change of a PUBLISHED, FAILED or ARCHIVED post.
         *
         *     Needs the scope `posts:write` or `posts:publish`.
         */
        get: operations["get-post-timeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{id}/unschedule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unschedule a post
         * @description Moves a SCHEDULED post back to DRAFT and clears its time. After a successful response the post is not published. Takes no body.
         *
         *     Needs the scope `posts:write`.
         */
        post: operations["unschedule-post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Returns the webhooks of the workspace, oldest first.
         *
         *     Needs the scope `webhooks:manage`.
         */
        get: operations["list-webhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Creates a webhook: an endpoint that receives events. Only this response contains the secret that signs them. A workspace has at most 20 webhooks.
         *
         *     Needs the scope `webhooks:manage`.
         */
        post: operations["create-webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook
         * @description Returns a webhook with its state and its count of consecutive failures. The secret is not included.
         *
         *     Needs the scope `webhooks:manage`.
         */
        get: operations["get-webhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Deletes the webhook. Its pending deliveries are not sent.
         *
         *     Needs the scope `webhooks:manage`.
         */
        delete: operations["delete-webhook"];
        options?: never;
        head?: never;
        /**
         * Update a webhook
         * @description Changes the URL, the events or the description of a webhook, enables it, or disables it. `isActive` true enables the webhook and sets `consecutiveFailures` to 0; start a replay to deliver missed events. `isActive` false cancels its pending deliveries. Events created while it is disabled are recorded as SKIPPED.
         *
         *     Needs the scope `webhooks:manage`.
         */
        patch: operations["update-webhook"];
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries
         * @description Returns the deliveries to the webhook, sent and pending, newest first. Deliveries are kept for 30 days.
         *
         *     Needs the scope `webhooks:manage`.
         */
        get: operations["list-webhook-deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery
         * @description Returns a delivery with its attempts: their time, duration, response and error.
         *
         *     Needs the scope `webhooks:manage`.
         */
        get: operations["get-webhook-delivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redeliver
         * @description Sends the delivery once more, in any state: the same bytes with the same event ID and a new signature. Each call makes one attempt. A success ends scheduled retries. A failure does not affect them and does not count towards disabling the webhook. Returns 409 while the webhook is disabled. Takes no body.
         *
         *     Needs the scope `webhooks:manage`.
         */
        post: operations["redeliver-webhook-delivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay events
         * @description Delivers the events of a time range to the webhook again, with their original IDs. Includes the events that the webhook subscribes to now, also those from before its creation and from periods when it was disabled. Skips pending deliveries. New events are delivered first. Returns 409 while the webhook is disabled or another replay to it is running.
         *
         *     Needs the scope `webhooks:manage`.
         */
        post: operations["start-webhook-replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/replays/{replayId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a replay
         * @description Returns a replay with its progress.
         *
         *     Needs the scope `webhooks:manage`.
         */
        get: operations["get-webhook-replay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate a webhook's secret
         * @description Replaces the secret of the webhook. Only this response contains the new secret. The previous secret also signs for `overlapHours`: `X-Service-Signature` then has two `v1` values, the new secret's first. Returns 409 for another rotation within that time, unless `force` is true, which expires the previous secret at once. The body is optional.
         *
         *     Needs the scope `webhooks:manage`.
         */
        post: operations["rotate-webhook-secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a webhook
         * @description Sends a webhook.test event to the endpoint, regardless of its subscriptions. The event is signed, retried and recorded like any other. Takes no body.
         *
         *     Needs the scope `webhooks:manage`.
         */
        post: operations["test-webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the workspace
         * @description Returns the credential's workspace, its usage of the plan, and the scopes of the credential.
         *
         *     Needs any valid credential.
         */
        get: operations["get-workspace"];
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
        /** @description A block of the type COUNTDOWN. */
        AddCountdownBlock: {
            /**
             * @description Whether the block is shown. Default: true.
             * @example true
             */
            isVisible?: boolean;
            /**
             * Format: int64
             * @description Position among the blocks, from 0. Default: at the end.
             * @example 0
             */
            position?: number;
            /** @description Content of the block. Its fields depend on the type. */
            settings: components["schemas"]["CountdownBlockSettingsInput"];
            /**
             * Format: date-time
             * @description Start of the display period: RFC 3339 with an offset.
             * @example 2026-03-01T09:00:00+02:00
             */
            showFrom?: string | null;
            /**
             * Format: date-time
             * @description End of the display period: RFC 3339 with an offset.
             * @example 2026-04-01T09:00:00+02:00
             */
            showUntil?: string | null;
            /**
             * @description Type of the block. It never changes. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "COUNTDOWN";
        };
        /** @description A block of the type COUPON. */
        AddCouponBlock: {
            /**
             * @description Whether the block is shown. Default: true.
             * @example true
             */
            isVisible?: boolean;
            /**
             * Format: int64
             * @description Position among the blocks, from 0. Default: at the end.
             * @example 0
             */
            position?: number;
            /** @description Content of the block. Its fields depend on the type. */
            settings: components["schemas"]["CouponBlockSettingsInput"];
            /**
             * Format: date-time
             * @description Start of the display period: RFC 3339 with an offset.
             * @example 2026-03-01T09:00:00+02:00
             */
            showFrom?: string | null;
            /**
             * Format: date-time
             * @description End of the display period: RFC 3339 with an offset.
             * @example 2026-04-01T09:00:00+02:00
             */
            showUntil?: string | null;
            /**
             * @description Type of the block. It never changes. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "COUPON";
        };
        /** @description A block of the type FAQ. */
        AddFaqBlock: {
            /**
             * @description Whether the block is shown. Default: true.
             * @example true
             */
            isVisible?: boolean;
            /**
             * Format: int64
             * @description Position among the blocks, from 0. Default: at the end.
             * @example 0
             */
            position?: number;
            /** @description Content of the block. Its fields depend on the type. */
            settings: components["schemas"]["FaqBlockSettingsInput"];
            /**
             * Format: date-time
             * @description Start of the display period: RFC 3339 with an offset.
             * @example 2026-03-01T09:00:00+02:00
             */
            showFrom?: string | null;
            /**
             * Format: date-time
             * @description End of the display period: RFC 3339 with an offset.
             * @example 2026-04-01T09:00:00+02:00
             */
            showUntil?: string | null;
            /**
             * @description Type of the block. It never changes. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "FAQ";
        };
        /** @description A block of the type LINK. */
        AddLinkBlock: {
            /**
             * @description Whether the block is shown. Default: true.
             * @example true
             */
            isVisible?: boolean;
            /**
             * Format: int64
             * @description Position among the blocks, from 0. Default: at the end.
             * @example 0
             */
            position?: number;
            /** @description Content of the block. Its fields depend on the type. */
            settings: components["schemas"]["LinkBlockSettingsInput"];
            /**
             * Format: date-time
             * @description Start of the display period: RFC 3339 with an offset.
             * @example 2026-03-01T09:00:00+02:00
             */
            showFrom?: string | null;
            /**
             * Format: date-time
             * @description End of the display period: RFC 3339 with an offset.
             * @example 2026-04-01T09:00:00+02:00
             */
            showUntil?: string | null;
            /**
             * @description Type of the block. It never changes. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "LINK";
        };
        AddLinkPageBlockRequest: components["schemas"]["AddLinkBlock"] | components["schemas"]["AddTextBlock"] | components["schemas"]["AddSectionBlock"] | components["schemas"]["AddPostCardBlock"] | components["schemas"]["AddProductBlock"] | components["schemas"]["AddCouponBlock"] | components["schemas"]["AddCountdownBlock"] | components["schemas"]["AddNoticeBarBlock"] | components["schemas"]["AddFaqBlock"] | components["schemas"]["AddTestimonialBlock"];
        /** @description A block of the type NOTICE_BAR. */
        AddNoticeBarBlock: {
            /**
             * @description Whether the block is shown. Default: true.
             * @example true
             */
            isVisible?: boolean;
            /**
             * Format: int64
             * @description Position among the blocks, from 0. Default: at the end.
             * @example 0
             */
            position?: number;
            /** @description Content of the block. Its fields depend on the type. */
            settings: components["schemas"]["NoticeBarBlockSettingsInput"];
            /**
             * Format: date-time
             * @description Start of the display period: RFC 3339 with an offset.
             * @example 2026-03-01T09:00:00+02:00
             */
            showFrom?: string | null;
            /**
             * Format: date-time
             * @description End of the display period: RFC 3339 with an offset.
             * @example 2026-04-01T09:00:00+02:00
             */
            showUntil?: string | null;
            /**
             * @description Type of the block. It never changes. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "NOTICE_BAR";
        };
        /** @description A block of the type POST_CARD. */
        AddPostCardBlock: {
            /**
             * @description Whether the block is shown. Default: true.
             * @example true
             */
            isVisible?: boolean;
            /**
             * Format: int64
             * @description Position among the blocks, from 0. Default: at the end.
             * @example 0
             */
            position?: number;
            /** @description Content of the block. Its fields depend on the type. */
            settings: components["schemas"]["PostCardBlockSettingsInput"];
            /**
             * Format: date-time
             * @description Start of the display period: RFC 3339 with an offset.
             * @example 2026-03-01T09:00:00+02:00
             */
            showFrom?: string | null;
            /**
             * Format: date-time
             * @description End of the display period: RFC 3339 with an offset.
             * @example 2026-04-01T09:00:00+02:00
             */
            showUntil?: string | null;
            /**
             * @description Type of the block. It never changes. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "POST_CARD";
        };
        /** @description A block of the type PRODUCT. */
        AddProductBlock: {
            /**
             * @description Whether the block is shown. Default: true.
             * @example true
             */
            isVisible?: boolean;
            /**
             * Format: int64
             * @description Position among the blocks, from 0. Default: at the end.
             * @example 0
             */
            position?: number;
            /** @description Content of the block. Its fields depend on the type. */
            settings: components["schemas"]["ProductBlockSettingsInput"];
            /**
             * Format: date-time
             * @description Start of the display period: RFC 3339 with an offset.
             * @example 2026-03-01T09:00:00+02:00
             */
            showFrom?: string | null;
            /**
             * Format: date-time
             * @description End of the display period: RFC 3339 with an offset.
             * @example 2026-04-01T09:00:00+02:00
             */
            showUntil?: string | null;
            /**
             * @description Type of the block. It never changes. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "PRODUCT";
        };
        /** @description A block of the type SECTION. */
        AddSectionBlock: {
            /**
             * @description Whether the block is shown. Default: true.
             * @example true
             */
            isVisible?: boolean;
            /**
             * Format: int64
             * @description Position among the blocks, from 0. Default: at the end.
             * @example 0
             */
            position?: number;
            /** @description Content of the block. Its fields depend on the type. */
            settings: components["schemas"]["SectionBlockSettingsInput"];
            /**
             * Format: date-time
             * @description Start of the display period: RFC 3339 with an offset.
             * @example 2026-03-01T09:00:00+02:00
             */
            showFrom?: string | null;
            /**
             * Format: date-time
             * @description End of the display period: RFC 3339 with an offset.
             * @example 2026-04-01T09:00:00+02:00
             */
            showUntil?: string | null;
            /**
             * @description Type of the block. It never changes. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "SECTION";
        };
        /** @description A block of the type TESTIMONIAL. */
        AddTestimonialBlock: {
            /**
             * @description Whether the block is shown. Default: true.
             * @example true
             */
            isVisible?: boolean;
            /**
             * Format: int64
             * @description Position among the blocks, from 0. Default: at the end.
             * @example 0
             */
            position?: number;
            /** @description Content of the block. Its fields depend on the type. */
            settings: components["schemas"]["TestimonialBlockSettingsInput"];
            /**
             * Format: date-time
             * @description Start of the display period: RFC 3339 with an offset.
             * @example 2026-03-01T09:00:00+02:00
             */
            showFrom?: string | null;
            /**
             * Format: date-time
             * @description End of the display period: RFC 3339 with an offset.
             * @example 2026-04-01T09:00:00+02:00
             */
            showUntil?: string | null;
            /**
             * @description Type of the block. It never changes. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "TESTIMONIAL";
        };
        /** @description A block of the type TEXT. */
        AddTextBlock: {
            /**
             * @description Whether the block is shown. Default: true.
             * @example true
             */
            isVisible?: boolean;
            /**
             * Format: int64
             * @description Position among the blocks, from 0. Default: at the end.
             * @example 0
             */
            position?: number;
            /** @description Content of the block. Its fields depend on the type. */
            settings: components["schemas"]["TextBlockSettingsInput"];
            /**
             * Format: date-time
             * @description Start of the display period: RFC 3339 with an offset.
             * @example 2026-03-01T09:00:00+02:00
             */
            showFrom?: string | null;
            /**
             * Format: date-time
             * @description End of the display period: RFC 3339 with an offset.
             * @example 2026-04-01T09:00:00+02:00
             */
            showUntil?: string | null;
            /**
             * @description Type of the block. It never changes. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "TEXT";
        };
        /**
         * @description Color scheme of a link page. AUTO follows the visitor's system. One of AUTO, LIGHT, DARK. Tolerate new values.
         * @example AUTO
         */
        Appearance: "AUTO" | "LIGHT" | "DARK" | (string & {});
        /**
         * @description Color scheme of a link page. AUTO follows the visitor's system.
         * @example AUTO
         * @enum {string}
         */
        AppearanceInput: "AUTO" | "LIGHT" | "DARK";
        Approval: {
            /** @description Approvals of the present content that count under the policies REQUIRED and TWO_STEP. */
            approvals: components["schemas"]["GivenApproval"][];
            /**
             * @description Comment of the approver.
             * @example Looks good.
             */
            comment: string | null;
            /**
             * Format: date-time
             * @description Time of the decision; null while it is pending.
             * @example 2026-03-01T07:00:00.000Z
             */
            decidedAt: string | null;
            /**
             * @description Approval policy of the post's channel.
             * @example REQUIRED
             */
            policy: components["schemas"]["ApprovalPolicy"];
            /** @description State of the approval. */
            status: components["schemas"]["ApprovalStatus"];
        } | null;
        ApprovalEventData: {
            /**
             * Format: uuid
             * @description ID of the post's channel.
             * @example 0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59
             */
            channelId: string;
            /** @description Type of the post's channel. */
            channelType: components["schemas"]["ChannelType"];
            /**
             * @description Comment of the approver; null if there is none, and always null in a request for approval.
             * @example Looks good.
             */
            comment: string | null;
            /**
             * @description Whether the network is known to show the post: false if it reports nothing about it, or its review took longer than 24 hours; null unless the post is PUBLISHED.
             * @example true
             */
            confirmed: boolean | null;
            /** @description Reason why publishing failed; null unless the post is FAILED. */
            error: components["schemas"]["PostError"] | null;
            /**
             * @description ID of the post in the client's own system; null if it has none.
             * @example cms-4711
             */
            externalId: string | null;
            /**
             * Format: uuid
             * @description ID of the set: the posts that were created by one request.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b61
             */
            groupId: string;
            /**
             * @description Labels of the post.
             * @example [
             *       "Spring"
             *     ]
             */
            labels: string[];
            /**
             * @description Values that the client stored with the post.
             * @example {
             *       "campaign": "spring"
             *     }
             */
            metadata: {
                [key: string]: string;
            };
            /**
             * Format: uuid
             * @description ID of the post.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60
             */
            postId: string;
            /**
             * @description URL of the published post; null if the post is not published or its network provides no URL.
             * @example https://t.me/acme_news/42
             */
            postUrl: string | null;
            /**
             * Format: date-time
             * @description Time at which the post was published; null unless the post is PUBLISHED.
             * @example 2026-03-01T07:00:00.000Z
             */
            publishedAt: string | null;
            /**
             * Format: date-time
             * @description Time at which the post is to be published; null if it has none.
             * @example 2026-03-01T07:00:00.000Z
             */
            scheduledAt: string | null;
            /** @description State of the post after the event; for a deleted post, its last state. */
            status: components["schemas"]["PostStatus"];
        };
        /**
         * @description Who must approve posts before they are published. NONE: no approval. OPTIONAL: people and programs may ask. REQUIRED: another person. TWO_STEP: two people. One of NONE, OPTIONAL, REQUIRED, TWO_STEP. Tolerate new values.
         * @example NONE
         */
        ApprovalPolicy: "NONE" | "OPTIONAL" | "REQUIRED" | "TWO_STEP" | (string & {});
        /**
         * @description State of the approval. One of PENDING, APPROVED, REJECTED. Tolerate new values.
         * @example APPROVED
         */
        ApprovalStatus: "PENDING" | "APPROVED" | "REJECTED" | (string & {});
        BlockClicks: {
            /**
             * Format: uuid
             * @description The block.
             * @example 0190a3d2-e8df-7c46-97d0-36c40f68e72c
             */
            blockId: string;
            /**
             * Format: int64
             * @description Number of clicks on the block.
             * @example 120
             */
            clicks: number;
            /** @description Days with clicks, oldest first. */
            data: components["schemas"]["BlockDay"][];
            /**
             * @description Title or start of the text of the block. Null if it has none, or after the block is deleted.
             * @example Shop
             */
            label: string | null;
            /**
             * @description Type of the block. Null after the block is deleted.
             * @example LINK
             */
            type: string | null;
        };
        BlockDay: {
            /**
             * Format: int64
             * @description Number of clicks on the block.
             * @example 7
             */
            clicks: number;
            /**
             * Format: date
             * @description The day, in UTC.
             * @example 2026-03-01
             */
            date: string;
        };
        BulkItemResult: {
            /**
             * @description Reason of the failure: the code of the problem, a colon, and the detail. Omitted if the item succeeded.
             * @example CHANNEL_NOT_PUBLISHABLE: Channel 0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59 is of type WHATSAPP_BUSINESS, which cannot be published to.
             */
            error?: string;
            /**
             * Format: int64
             * @description Zero-based position of the item in the request.
             * @example 0
             */
            index: number;
            /** @description The created posts; empty if the item failed. */
            posts: components["schemas"]["Post"][];
            /** @description The failure as the problem document that the item alone would return. Its pointers are into the item. Omitted if the item succeeded. */
            problem?: components["schemas"]["Problem"];
            /**
             * @description Whether the posts of the item were created.
             * @example true
             */
            success: boolean;
        };
        BulkUpdateResult: {
            /**
             * Format: int64
             * @description Zero-based position of the item in the request.
             * @example 0
             */
            index: number;
            /** @description The changed post; with dryRun as it would be. Null if it was deleted, or if the item failed. */
            post: components["schemas"]["NullablePost"] | null;
            /** @description The failure as the problem document that edit-post or delete-post would return. Its pointers are into the item. Null if the item succeeded. */
            problem: components["schemas"]["NullableProblem"] | null;
            /**
             * @description Whether the post was changed or deleted; with dryRun, whether it would be.
             * @example true
             */
            success: boolean;
        };
        Capabilities: {
            /**
             * @description Whether the network provides analytics for the channel.
             * @example true
             */
            analytics: boolean;
            /**
             * @description Whether the network allows deleting a published post.
             * @example true
             */
            deleteAfterPublish: boolean;
            /**
             * @description Whether the network allows changes to a published post.
             * @example true
             */
            editAfterPublish: boolean;
            /**
             * @description Whether posts can be created for the channel and published to it.
             * @example true
             */
            publish: boolean;
        };
        Channel: {
            /**
             * @description Approval policy of the channel's posts: the stricter of its own and the workspace's.
             * @example OPTIONAL
             */
            approvalPolicy: components["schemas"]["ApprovalPolicy"];
            /**
             * @description URL of the account's image.
             * @example https://cdn.example.com/acme_news.jpg
             */
            avatar: string | null;
            /** @description Capabilities of channels of this type. */
            capabilities: components["schemas"]["Capabilities"];
            /**
             * Format: date-time
             * @description Time at which the channel was first connected.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: uuid
             * @description ID of the channel, for the fields channelId and channelIds of other operations.
             * @example 0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59
             */
            id: string;
            /**
             * @description Whether posts can be scheduled for and published to the channel.
             * @example true
             */
            isConnected: boolean;
            /**
             * @description Whether the channel is paused, or all publishing of the workspace is stopped: its due posts wait.
             * @example false
             */
            isQueuePaused: boolean;
            /**
             * @description Name of the account.
             * @example Acme News
             */
            name: string;
            /**
             * @description IANA time zone of the channel.
             * @example Europe/Berlin
             */
            timezone: string;
            /**
             * @description State of the access to the network. NEEDS_RECONNECT: reconnect the channel in the application, under Channels. EXPIRING: the channel must be reconnected within 7 days. Tolerate new values.
             * @example HEALTHY
             */
            tokenStatus: components["schemas"]["TokenStatus"];
            /**
             * @description Kind of account. Treat unknown types as a generic channel.
             * @example TELEGRAM_CHANNEL
             */
            type: components["schemas"]["ChannelType"];
            /**
             * @description Name of the account on its network.
             * @example acme_news
             */
            username: string;
        };
        /**
         * A channel lost its access
         * @description Sent when the network rejects the credentials of a connected channel (`tokenStatus` NEEDS_RECONNECT): a person must connect it again.
         * @example {
         *       "createdAt": "2026-03-01T07:00:00.000Z",
         *       "data": {
         *         "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
         *         "name": "Acme News",
         *         "type": "TELEGRAM_CHANNEL"
         *       },
         *       "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
         *       "sequence": 1207,
         *       "type": "channel.access_lost",
         *       "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
         *     }
         */
        ChannelAccessLostEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Data of the event. */
            data: components["schemas"]["ChannelEventData"];
            /**
             * @description ID of the event, the same for every attempt. Use it to detect duplicates.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            id: string;
            /**
             * @description test in events of a test workspace; absent in others.
             * @example test
             * @enum {string}
             */
            mode?: "test";
            /**
             * Format: int64
             * @description Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the later one has the higher number.
             * @example 1207
             */
            sequence: number;
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "channel.access_lost";
            /**
             * Format: uuid
             * @description ID of the event's workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            workspaceId: string;
        };
        /**
         * A channel has its access again
         * @description Sent when a connected channel that had lost its access gets credentials that work, after channel.connected if a person has connected it.
         * @example {
         *       "createdAt": "2026-03-01T07:00:00.000Z",
         *       "data": {
         *         "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
         *         "name": "Acme News",
         *         "type": "TELEGRAM_CHANNEL"
         *       },
         *       "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
         *       "sequence": 1207,
         *       "type": "channel.access_restored",
         *       "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
         *     }
         */
        ChannelAccessRestoredEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Data of the event. */
            data: components["schemas"]["ChannelEventData"];
            /**
             * @description ID of the event, the same for every attempt. Use it to detect duplicates.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            id: string;
            /**
             * @description test in events of a test workspace; absent in others.
             * @example test
             * @enum {string}
             */
            mode?: "test";
            /**
             * Format: int64
             * @description Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the later one has the higher number.
             * @example 1207
             */
            sequence: number;
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "channel.access_restored";
            /**
             * Format: uuid
             * @description ID of the event's workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            workspaceId: string;
        };
        ChannelAnalytics: {
            /**
             * Format: uuid
             * @description ID of the channel.
             * @example 0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59
             */
            channelId: string;
            /** @description Days that have figures, oldest first. */
            data: components["schemas"]["ChannelDay"][];
        };
        /**
         * A channel was connected
         * @description Sent when a channel is connected, or connected again after it was removed or lost its access. New credentials for a working channel send no event.
         * @example {
         *       "createdAt": "2026-03-01T07:00:00.000Z",
         *       "data": {
         *         "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
         *         "name": "Acme News",
         *         "type": "TELEGRAM_CHANNEL"
         *       },
         *       "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
         *       "sequence": 1207,
         *       "type": "channel.connected",
         *       "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
         *     }
         */
        ChannelConnectedEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Data of the event. */
            data: components["schemas"]["ChannelEventData"];
            /**
             * @description ID of the event, the same for every attempt. Use it to detect duplicates.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            id: string;
            /**
             * @description test in events of a test workspace; absent in others.
             * @example test
             * @enum {string}
             */
            mode?: "test";
            /**
             * Format: int64
             * @description Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the later one has the higher number.
             * @example 1207
             */
            sequence: number;
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "channel.connected";
            /**
             * Format: uuid
             * @description ID of the event's workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            workspaceId: string;
        };
        ChannelDay: {
            /**
             * Format: date
             * @description The day, in the time zone of the network.
             * @example 2026-03-01
             */
            date: string;
            /**
             * Format: double
             * @description Engagements ÷ impressions, or ÷ reach if there are no impressions. A ratio: 0.05 is 5 %.
             * @example 0.05
             */
            engagementRate: number | null;
            /**
             * Format: int64
             * @description Followers at the end of the day, or at the time of the count.
             * @example 1830
             */
            followers: number | null;
            /**
             * Format: int64
             * @description Number of times that content of the account was shown on that day.
             * @example 2400
             */
            impressions: number | null;
            /**
             * Format: int64
             * @description Views of the profile on that day.
             * @example 85
             */
            profileViews: number | null;
            /**
             * Format: int64
             * @description Number of people who saw content of the account on that day.
             * @example 1900
             */
            reach: number | null;
            /**
             * Format: int64
             * @description Clicks on the profile's website on that day.
             * @example 12
             */
            websiteClicks: number | null;
        };
        /**
         * A channel was removed
         * @description Sent when a channel is removed from the workspace. A channel that loses its access is not removed.
         * @example {
         *       "createdAt": "2026-03-01T07:00:00.000Z",
         *       "data": {
         *         "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
         *         "name": "Acme News",
         *         "type": "TELEGRAM_CHANNEL"
         *       },
         *       "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
         *       "sequence": 1207,
         *       "type": "channel.disconnected",
         *       "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
         *     }
         */
        ChannelDisconnectedEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Data of the event. */
            data: components["schemas"]["ChannelEventData"];
            /**
             * @description ID of the event, the same for every attempt. Use it to detect duplicates.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            id: string;
            /**
             * @description test in events of a test workspace; absent in others.
             * @example test
             * @enum {string}
             */
            mode?: "test";
            /**
             * Format: int64
             * @description Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the later one has the higher number.
             * @example 1207
             */
            sequence: number;
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "channel.disconnected";
            /**
             * Format: uuid
             * @description ID of the event's workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            workspaceId: string;
        };
        ChannelEventData: {
            /**
             * Format: uuid
             * @description ID of the channel.
             * @example 0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59
             */
            channelId: string;
            /**
             * @description Name of the channel.
             * @example Acme News
             */
            name: string;
            /** @description Kind of account. */
            type: components["schemas"]["ChannelType"];
        };
        /**
         * The access of a channel ends soon
         * @description Sent when only a person can extend the access of a connected channel beyond the next 7 days (`tokenStatus` EXPIRING).
         * @example {
         *       "createdAt": "2026-03-01T07:00:00.000Z",
         *       "data": {
         *         "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
         *         "name": "Acme News",
         *         "type": "TELEGRAM_CHANNEL"
         *       },
         *       "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
         *       "sequence": 1207,
         *       "type": "channel.expiring",
         *       "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
         *     }
         */
        ChannelExpiringEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Data of the event. */
            data: components["schemas"]["ChannelEventData"];
            /**
             * @description ID of the event, the same for every attempt. Use it to detect duplicates.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            id: string;
            /**
             * @description test in events of a test workspace; absent in others.
             * @example test
             * @enum {string}
             */
            mode?: "test";
            /**
             * Format: int64
             * @description Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the later one has the higher number.
             * @example 1207
             */
            sequence: number;
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "channel.expiring";
            /**
             * Format: uuid
             * @description ID of the event's workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            workspaceId: string;
        };
        ChannelSchedule: {
            /**
             * Format: uuid
             * @description The channel.
             * @example 0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59
             */
            channelId: string;
            /**
             * @description Whether the channel is paused, or all publishing of the workspace is stopped: its due posts wait, and next_slot is rejected.
             * @example false
             */
            isQueuePaused: boolean;
            /**
             * Format: date-time
             * @description Next free slot; null if there is none.
             * @example 2026-03-01T07:00:00.000Z
             */
            nextSlotAt: string | null;
            /** @description The next free slots within 90 days, at most ten. Empty while the channel is paused. */
            nextSlots: string[];
            /** @description Weekly time slots, starting on Monday. */
            slots: components["schemas"]["Slot"][];
            /**
             * @description IANA time zone of the slots.
             * @example Europe/Berlin
             */
            timezone: string;
        };
        ChannelStanding: {
            /**
             * Format: uuid
             * @description ID of the channel.
             * @example 0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59
             */
            channelId: string;
            /**
             * Format: date-time
             * @description Time at which figures were last read completely; null if never.
             * @example 2026-03-01T07:00:00.000Z
             */
            collectedAt: string | null;
            /**
             * Format: int64
             * @description Increase of comments in the range.
             * @example 37
             */
            comments: number | null;
            /**
             * Format: double
             * @description Engagement rate of this channel, computed like averageEngagementRate.
             * @example 0.048
             */
            engagementRate: number | null;
            /**
             * Format: int64
             * @description Last count of followers in or before the range.
             * @example 1830
             */
            followers: number | null;
            /**
             * Format: int64
             * @description Increase of likes in the range.
             * @example 412
             */
            likes: number | null;
            /**
             * @description Name of the account.
             * @example Acme News
             */
            name: string;
            /**
             * Format: int64
             * @description Number of posts published in the range.
             * @example 24
             */
            postsPublished: number;
            /**
             * @description Reason why figures are not read until the channel is reconnected; null if they are read.
             * @example The account does not allow reading its analytics. Reconnect the channel and allow it.
             */
            problem: string | null;
            /**
             * Format: int64
             * @description Increase of shares in the range.
             * @example 19
             */
            shares: number | null;
            /**
             * @description Kind of account. Treat unknown types as a generic channel.
             * @example THREADS
             */
            type: components["schemas"]["ChannelType"];
        };
        /**
         * @description Kind of account. Treat unknown types as a generic channel. One of FACEBOOK_PAGE, FACEBOOK_GROUP, INSTAGRAM_PROFESSIONAL, INSTAGRAM_PERSONAL, TWITTER, LINKEDIN_PROFILE, LINKEDIN_PAGE, TIKTOK_PERSONAL, TIKTOK_BUSINESS, YOUTUBE, PINTEREST, GOOGLE_BUSINESS, THREADS, TELEGRAM_CHANNEL, TELEGRAM_BUSINESS, WHATSAPP_BUSINESS, BLUESKY, MASTODON. Tolerate new values.
         * @example FACEBOOK_PAGE
         */
        ChannelType: "FACEBOOK_PAGE" | "FACEBOOK_GROUP" | "INSTAGRAM_PROFESSIONAL" | "INSTAGRAM_PERSONAL" | "TWITTER" | "LINKEDIN_PROFILE" | "LINKEDIN_PAGE" | "TIKTOK_PERSONAL" | "TIKTOK_BUSINESS" | "YOUTUBE" | "PINTEREST" | "GOOGLE_BUSINESS" | "THREADS" | "TELEGRAM_CHANNEL" | "TELEGRAM_BUSINESS" | "WHATSAPP_BUSINESS" | "BLUESKY" | "MASTODON" | (string & {});
        /**
         * @description Kind of account. Treat unknown types as a generic channel.
         * @example FACEBOOK_PAGE
         * @enum {string}
         */
        ChannelTypeInput: "FACEBOOK_PAGE" | "FACEBOOK_GROUP" | "INSTAGRAM_PROFESSIONAL" | "INSTAGRAM_PERSONAL" | "TWITTER" | "LINKEDIN_PROFILE" | "LINKEDIN_PAGE" | "TIKTOK_PERSONAL" | "TIKTOK_BUSINESS" | "YOUTUBE" | "PINTEREST" | "GOOGLE_BUSINESS" | "THREADS" | "TELEGRAM_CHANNEL" | "TELEGRAM_BUSINESS" | "WHATSAPP_BUSINESS" | "BLUESKY" | "MASTODON";
        ChannelValidation: {
            /**
             * Format: uuid
             * @description ID of the channel.
             * @example 0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59
             */
            channelId: string;
            /** @description Findings that prevent publishing. */
            errors: components["schemas"]["Finding"][];
            /**
             * @description Type of the channel.
             * @example TELEGRAM_CHANNEL
             */
            type: components["schemas"]["ChannelType"];
            /**
             * @description Whether the post can be published to the channel.
             * @example true
             */
            valid: boolean;
            /** @description Findings that do not prevent publishing but are probably unintended. */
            warnings: components["schemas"]["Finding"][];
        };
        Comment: {
            /**
             * @description Text of the comment; empty: none.
             * @example The recipe: https://acme.com/glaze
             */
            content?: string;
            /**
             * Format: int64
             * @description Seconds after the last part of the post.
             * @example 60
             */
            delaySeconds?: number;
        };
        Conflict: {
            /** @description SAME_TIME: due within 10 minutes. SAME_TEXT: the same text within 30 days, apart from case and white space, which networks refuse as a duplicate or show to fewer people. Tolerate new values. */
            kind: components["schemas"]["ConflictKind"];
            /**
             * Format: uuid
             * @description ID of the other post.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60
             */
            postId: string;
        };
        /**
         * @description SAME_TIME: due within 10 minutes. SAME_TEXT: the same text within 30 days, apart from case and white space, which networks refuse as a duplicate or show to fewer people. One of SAME_TIME, SAME_TEXT. Tolerate new values.
         * @example SAME_TIME
         */
        ConflictKind: "SAME_TIME" | "SAME_TEXT" | (string & {});
        /**
         * @description Kind of content: POST is a standard post, REEL a short vertical video, STORY an ephemeral story, VIDEO a regular video. One of POST, REEL, STORY, VIDEO. Tolerate new values.
         * @example POST
         */
        ContentType: "POST" | "REEL" | "STORY" | "VIDEO" | (string & {});
        /**
         * @description Kind of content: POST is a standard post, REEL a short vertical video, STORY an ephemeral story, VIDEO a regular video.
         * @example POST
         * @enum {string}
         */
        ContentTypeInput: "POST" | "REEL" | "STORY" | "VIDEO";
        ContinuePartsRequest: {
            /**
             * @description Whether the parts that are not published are given up, instead of published.
             * @example false
             */
            end?: boolean;
        };
        Conversion: {
            /**
             * Format: int64
             * @description Size of the file; null until the file was made.
             * @example 184320
             */
            bytes: number | null;
            /**
             * Format: int64
             * @description Its height in pixels.
             * @example 1080
             */
            height: number | null;
            /**
             * Format: uuid
             * @description ID of the attachment.
             * @example 0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93
             */
            mediaId: string;
            /**
             * @description MIME type of the file that is sent.
             * @example image/jpeg
             */
            to: string;
            /**
             * Format: int64
             * @description Maximum width of the file in pixels; null if the attachment is not measured yet.
             * @example 1440
             */
            width: number | null;
        };
        Cost: {
            /**
             * Format: double
             * @description Price in units of the currency, with up to three decimals.
             * @example 0.015
             */
            amount: number;
            /**
             * @description ISO 4217 code.
             * @example USD
             */
            currency: string;
        } | null;
        CountUsage: {
            /**
             * Format: int64
             * @description Number allowed by the plan.
             * @example 20
             */
            limit: number;
            /**
             * Format: int64
             * @description Number in use.
             * @example 2
             */
            used: number;
        };
        /** @description A block of the type COUNTDOWN. */
        CountdownBlock: {
            /**
             * Format: uuid
             * @description Id of the block. It stays the same when the page is published.
             * @example 0190a3d2-e8df-7c46-97d0-36c40f68e72c
             */
            id: string;
            /**
             * @description Whether the block is shown.
             * @example true
             */
            isVisible: boolean;
            /** @description Content of the block. Its fields depend on the type. */
            settings: components["schemas"]["CountdownBlockSettings"];
            /**
             * Format: date-time
             * @description Start of the display period. Null: no start.
             * @example 2026-03-01T07:00:00.000Z
             */
            showFrom: string | null;
            /**
             * Format: date-time
             * @description End of the display period. Null: no end.
             * @example 2026-03-01T07:00:00.000Z
             */
            showUntil: string | null;
            /**
             * @description Type of the block. It never changes. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "COUNTDOWN";
        };
        CountdownBlockSettings: {
            /**
             * @description Text of the button. Requires url.
             * @example Remind me
             */
            buttonLabel: string | null;
            /**
             * @description Text shown after the end.
             * @example The kiln is open!
             */
            endedText: string | null;
            /**
             * Format: date-time
             * @description End of the countdown.
             * @example 2026-03-01T07:00:00.000Z
             */
            endsAt: string;
            /**
             * @description Name of the event.
             * @example Kiln opening
             */
            title: string;
            /**
             * Format: uri
             * @description A URL with https, mailto or tel.
             * @example https://shop.example.com/kiln
             */
            url: string | null;
        };
        CountdownBlockSettingsInput: {
            /**
             * @description Text of the button. Requires url.
             * @example Remind me
             */
            buttonLabel?: string | null;
            /**
             * @description Text shown after the end.
             * @example The kiln is open!
             */
            endedText?: string | null;
            /**
             * Format: date-time
             * @description End of the countdown.
             * @example 2026-03-01T07:00:00.000Z
             */
            endsAt: string;
            /**
             * @description Name of the event.
             * @example Kiln opening
             */
            title: string;
            /**
             * Format: uri
             * @description A URL with https, mailto or tel.
             * @example https://shop.example.com/kiln
             */
            url?: string | null;
        };
        /** @description A block of the type COUPON. */
        CouponBlock: {
            /**
             * Format: uuid
             * @description Id of the block. It stays the same when the page is published.
             * @example 0190a3d2-e8df-7c46-97d0-36c40f68e72c
             */
            id: string;
            /**
             * @description Whether the block is shown.
             * @example true
             */
            isVisible: boolean;
            /** @description Content of the block. Its fields depend on the type. */
            settings: components["schemas"]["CouponBlockSettings"];
            /**
             * Format: date-time
             * @description Start of the display period. Null: no start.
             * @example 2026-03-01T07:00:00.000Z
             */
            showFrom: string | null;
            /**
             * Format: date-time
             * @description End of the display period. Null: no end.
             * @example 2026-03-01T07:00:00.000Z
             */
            showUntil: string | null;
            /**
             * @description Type of the block. It never changes. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "COUPON";
        };
        CouponBlockSettings: {
            /**
             * @description Text of the button. Requires url.
             * @example To the shop
             */
            buttonLabel: string | null;
            /**
             * @description Code that visitors copy.
             * @example SPRING10
             */
            code: string;
            /**
             * @description Description of the offer.
             * @example On everything blue
             */
            description: string | null;
            /**
             * Format: date-time
             * @description Time until which the code is valid. Null: no end.
             * @example 2026-03-01T07:00:00.000Z
             */
            expiresAt: string | null;
            /**
             * @description Title, such as the discount.
             * @example 10 % for you
             */
            title: string;
            /**
             * Format: uri
             * @description A URL with https, mailto or tel.
             * @example https://shop.example.com/
             */
            url: string | null;
        };
        CouponBlockSettingsInput: {
            /**
             * @description Text of the button. Requires url.
             * @example To the shop
             */
            buttonLabel?: string | null;
            /**
             * @description Code that visitors copy.
             * @example SPRING10
             */
            code: string;
            /**
             * @description Description of the offer.
             * @example On everything blue
             */
            description?: string | null;
            /**
             * Format: date-time
             * @description Time until which the code is valid. Null: no end.
             * @example 2026-03-01T07:00:00.000Z
             */
            expiresAt?: string | null;
            /**
             * @description Title, such as the discount.
             * @example 10 % for you
             */
            title: string;
            /**
             * Format: uri
             * @description A URL with https, mailto or tel.
             * @example https://shop.example.com/
             */
            url?: string | null;
        };
        CreateBulkRequest: {
            /** @description Items to create, each with the fields of create-posts. */
            posts: components["schemas"]["CreatePostsRequest"][];
        };
        CreateIdeaCardRequest: {
            /**
             * Format: uuid
             * @description ID of a column of the board. Defaults to the first column.
             * @example 0190a3cf-b5ac-7123-a4ee-f3b1c035e4f9
             */
            columnId?: string | null;
            /**
             * @description Notes; may have several lines.
             * @example Three photos, then the first firing as a reel.
             */
            content?: string | null;
            /**
             * @description IDs of labels of the board.
             * @example [
             *       "0190a3d0-c6bd-7234-b5ff-04c2d146f50a"
             *     ]
             */
            labelIds?: string[];
            /**
             * Format: uri
             * @description Source of the idea: an http or https URL. The service never requests it.
             * @example https://example.com/ceramics-trends
             */
            link?: string | null;
            /** @description IDs of media in display order. They cannot be deleted while the card uses them. */
            mediaIds?: string[];
            /**
             * Format: int64
             * @description Zero-based position in the column; 0 is the top. Defaults to the bottom.
             * @example 0
             */
            position?: number;
            /**
             * @description The idea in one line.
             * @example Behind the scenes: the new kiln
             */
            title: string;
        };
        CreateLinkPageRequest: {
            /**
             * @description Text below the title. Line breaks are kept.
             * @example Ceramics from Leipzig
             */
            bio?: string | null;
            /**
             * @description Last part of the page's URL: letters a to z and digits, with single - or _ between them. Unique in the whole service and case-insensitive.
             * @example mara-weber
             */
            handle: string;
            /** @description Data for search engines and link previews. */
            seo?: components["schemas"]["LinkPageSEOInput"];
            /** @description Design of the page. */
            theme?: components["schemas"]["LinkPageThemeInput"];
            /**
             * @description Title, on one line.
             * @example Mara Weber
             */
            title: string;
        };
        CreateLinkedInRequest: {
            /**
             * Format: uuid
             * @description Campaign of the posts.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b65
             */
            campaignId?: string;
            /**
             * Format: uuid
             * @description ID of a LINKEDIN_PROFILE or LINKEDIN_PAGE channel.
             * @example 0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59
             */
            channelId: string;
            /**
             * @description Text of the post.
             * @example We are hiring.
             */
            content: string;
            /**
             * @description ID of the posts in the client's own system. No other post of a channel may have it.
             * @example cms-4711
             */
            externalId?: string | null;
            /**
             * @description Labels of the posts. A label that the workspace does not have is created.
             * @example [
             *       "Spring"
             *     ]
             */
            labels?: string[];
            /**
             * @description Values that the client stores with the posts: at most 20, with names of at most 40 characters.
             * @example {
             *       "campaign": "spring"
             *     }
             */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description draft creates a draft. now publishes at once. next_slot publishes at the next free slot of the channel's posting schedule. A time (RFC 3339 with an offset, or without one beside timezone) publishes at that time. Every value except draft also needs the scope posts:publish. Default: `draft`.
             * @example 2026-03-01T09:00:00+02:00
             */
            schedule?: string;
            /**
             * @description IANA time zone of a time without an offset. A time that the clocks skip is the first instant after the gap; a time that occurs twice is the first of both. A time with an offset keeps it, which must be that of the time zone; Z is valid beside any.
             * @example Europe/Berlin
             */
            timezone?: string | null;
            /** @description Visibility of the post. CONNECTIONS is available for profiles only. Default: `PUBLIC`. */
            visibility?: components["schemas"]["CreateLinkedInVisibility"];
        };
        /**
         * @description Visibility of the post. CONNECTIONS is available for profiles only. Default: `PUBLIC`.
         * @example PUBLIC
         * @enum {string}
         */
        CreateLinkedInVisibility: "PUBLIC" | "CONNECTIONS";
        CreatePinterestRequest: {
            /**
             * @description Alternative text of the image, for screen readers.
             * @example Blue tiles on a wall
             */
            altText?: string;
            /**
             * @description ID of the board to pin to; list-pinterest-boards returns the channel's boards.
             * @example 549755885175
             */
            boardId: string;
            /**
             * @description ID of a section of the board.
             * @example 549755885176
             */
            boardSectionId?: string;
            /**
             * Format: uuid
             * @description Campaign of the posts.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b65
             */
            campaignId?: string;
            /**
             * Format: uuid
             * @description ID of a PINTEREST channel.
             * @example 0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59
             */
            channelId: string;
            /**
             * @description Description of the pin.
             * @example Tiles for your kitchen
             */
            content?: string;
            /**
             * @description ID of the posts in the client's own system. No other post of a channel may have it.
             * @example cms-4711
             */
            externalId?: string | null;
            /**
             * @description Labels of the posts. A label that the workspace does not have is created.
             * @example [
             *       "Spring"
             *     ]
             */
            labels?: string[];
            /**
             * Format: uri
             * @description Target URL of the pin.
             * @example https://example.com/tiles
             */
            link?: string;
            /**
             * @description Alternative texts of this post, by ID of the attachment. Each replaces the altText of the asset.
             * @example {
             *       "0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93": "Blue tiles on a wall"
             *     }
             */
            mediaAltTexts?: {
                [key: string]: string;
            };
            /** @description IDs of one image, one video, or 2 to 5 images that form a carousel. */
            mediaIds: string[];
            /**
             * @description Values that the client stores with the posts: at most 20, with names of at most 40 characters.
             * @example {
             *       "campaign": "spring"
             *     }
             */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description draft creates a draft. now publishes at once. next_slot publishes at the next free slot of the channel's posting schedule. A time (RFC 3339 with an offset, or without one beside timezone) publishes at that time. Every value except draft also needs the scope posts:publish. Default: `draft`.
             * @example 2026-03-01T09:00:00+02:00
             */
            schedule?: string;
            /**
             * @description IANA time zone of a time without an offset. A time that the clocks skip is the first instant after the gap; a time that occurs twice is the first of both. A time with an offset keeps it, which must be that of the time zone; Z is valid beside any.
             * @example Europe/Berlin
             */
            timezone?: string | null;
            /**
             * @description Title of the pin. Pinterest shows up to 100 characters.
             * @example Blue tiles
             */
            title?: string;
        };
        CreatePostsRequest: {
            /**
             * Format: uuid
             * @description Campaign of the posts.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b65
             */
            campaignId?: string;
            /**
             * @description IDs of channels. One post is created for each channel, or none if one is rejected. May be omitted with variants: it is then their channels.
             * @example [
             *       "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59"
             *     ]
             */
            channelIds?: string[];
            /**
             * @description Text of the posts.
             * @example Our spring collection is here.
             */
            content?: string;
            /** @description Kind of content: POST is a standard post, REEL a short vertical video, STORY an ephemeral story, VIDEO a regular video with a title. Defaults to POST; with options it follows from them and from the media. */
            contentType?: components["schemas"]["ContentTypeInput"];
            /**
             * @description ID of the posts in the client's own system. No other post of a channel may have it.
             * @example cms-4711
             */
            externalId?: string | null;
            /** @description A comment under the post, after its last part. Facebook, Instagram, LinkedIn, YouTube and the networks of threads. */
            firstComment?: components["schemas"]["Comment"];
            /**
             * @description Labels of the posts. A label that the workspace does not have is created.
             * @example [
             *       "Spring"
             *     ]
             */
            labels?: string[];
            /**
             * @description Alternative texts of this post, by ID of the attachment. Each replaces the altText of the asset.
             * @example {
             *       "0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93": "Blue tiles on a wall"
             *     }
             */
            mediaAltTexts?: {
                [key: string]: string;
            };
            /** @description IDs of media in display order. */
            mediaIds?: string[];
            /**
             * @description Values that the client stores with the posts: at most 20, with names of at most 40 characters.
             * @example {
             *       "campaign": "spring"
             *     }
             */
            metadata?: {
                [key: string]: string;
            };
            /** @description Settings of the platform, for channels of one network. Variants take the settings of channels of several networks. */
            options?: components["schemas"]["PostOptions"];
            /** @description Waits for another post; schedule is then the earliest time. {{url}} in the text becomes the address of that post. */
            publishAfter?: components["schemas"]["PublishAfter"];
            /**
             * @description draft creates a draft. now publishes at once. next_slot publishes at the next free slot of the channel's posting schedule. A time (RFC 3339 with an offset, or without one beside timezone) publishes at that time. Every value except draft also needs the scope posts:publish. Default: `draft`.
             * @example 2026-03-01T09:00:00+02:00
             */
            schedule?: string;
            /** @description The parts of a thread after the first, which has content and mediaIds. X, Threads, Bluesky and Mastodon. */
            thread?: components["schemas"]["Part"][];
            /**
             * @description IANA time zone of a time without an offset. A time that the clocks skip is the first instant after the gap; a time that occurs twice is the first of both. A time with an offset keeps it, which must be that of the time zone; Z is valid beside any.
             * @example Europe/Berlin
             */
            timezone?: string | null;
            /**
             * @description Title, for video-style content.
             * @example Spring collection
             */
            title?: string | null;
            /** @description What the posts of channels have of their own. Each names another channel. */
            variants?: components["schemas"]["Variant"][];
        };
        CreateTikTokRequest: {
            /**
             * @description Whether comments are allowed. Defaults to the account's setting. Comments stay disabled if the account has disabled them.
             * @example true
             */
            allowComments?: boolean;
            /**
             * @description Whether duets are allowed. Defaults like allowComments.
             * @example false
             */
            allowDuet?: boolean;
            /**
             * @description Whether stitches are allowed. Defaults like allowComments.
             * @example false
             */
            allowStitch?: boolean;
            /**
             * @description Discloses a paid partnership.
             * @example false
             */
            brandContent?: boolean;
            /**
             * @description Discloses that the account promotes its own business.
             * @example false
             */
            brandOrganic?: boolean;
            /**
             * Format: uuid
             * @description Campaign of the posts.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b65
             */
            campaignId?: string;
            /**
             * Format: uuid
             * @description ID of a TIKTOK_PERSONAL or TIKTOK_BUSINESS channel.
             * @example 0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59
             */
            channelId: string;
            /**
             * @description Caption.
             * @example Behind the scenes
             */
            content?: string;
            /**
             * @description ID of the posts in the client's own system. No other post of a channel may have it.
             * @example cms-4711
             */
            externalId?: string | null;
            /**
             * @description Labels of the posts. A label that the workspace does not have is created.
             * @example [
             *       "Spring"
             *     ]
             */
            labels?: string[];
            /**
             * @description Alternative texts of this post, by ID of the attachment. Each replaces the altText of the asset. TikTok takes none.
             * @example {
             *       "0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93": "Blue tiles on a wall"
             *     }
             */
            mediaAltTexts?: {
                [key: string]: string;
            };
            /** @description IDs of one video, or of up to 35 photos in display order. */
            mediaIds: string[];
            /**
             * @description Values that the client stores with the posts: at most 20, with names of at most 40 characters.
             * @example {
             *       "campaign": "spring"
             *     }
             */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @deprecated
             * @description Accepted and ignored: posts are published publicly.
             * @example PUBLIC_TO_EVERYONE
             */
            privacyLevel?: string;
            /**
             * @description draft creates a draft. now publishes at once. next_slot publishes at the next free slot of the channel's posting schedule. A time (RFC 3339 with an offset, or without one beside timezone) publishes at that time. Every value except draft also needs the scope posts:publish. Default: `draft`.
             * @example 2026-03-01T09:00:00+02:00
             */
            schedule?: string;
            /**
             * @description IANA time zone of a time without an offset. A time that the clocks skip is the first instant after the gap; a time that occurs twice is the first of both. A time with an offset keeps it, which must be that of the time zone; Z is valid beside any.
             * @example Europe/Berlin
             */
            timezone?: string | null;
            /**
             * @description Title of a photo post. TikTok shows up to 90 characters.
             * @example New tiles
             */
            title?: string;
            /**
             * @description true sends the post to the creator's inbox as a draft. The other settings are then ignored and chosen in the TikTok app.
             * @example false
             */
            uploadToDraft?: boolean;
        };
        CreateWebhookRequest: {
            /**
             * @description IDs of channels of which the webhook gets events. It then gets no events without a channel. Null or omitted: every event.
             * @example [
             *       "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59"
             *     ]
             */
            channelIds?: string[] | null;
            /**
             * @description Description of the webhook.
             * @example Production
             */
            description?: string | null;
            /**
             * @description Event types to send, or ["*"] for all, including future types.
             * @example [
             *       "post.published",
             *       "post.failed"
             *     ]
             */
            events: components["schemas"]["EventTypeInput"][];
            /**
             * Format: uri
             * @description URL that receives events: https, port 443, a public address, no user information.
             * @example https://hooks.example.com/social
             */
            url: string;
        };
        /**
         * @description Licence of the video.
         * @example youtube
         * @enum {string}
         */
        CreateYouTubeLicense: "youtube" | "creativeCommon";
        CreateYouTubeRequest: {
            /**
             * @description Whether other sites may embed the video.
             * @example true
             */
            allowEmbedding?: boolean;
            /**
             * Format: uuid
             * @description Campaign of the posts.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b65
             */
            campaignId?: string;
            /**
             * @description Number of the YouTube category.
             * @example 22
             */
            category?: string;
            /**
             * Format: uuid
             * @description ID of a YOUTUBE channel.
             * @example 0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59
             */
            channelId: string;
            /**
             * @description ID of the posts in the client's own system. No other post of a channel may have it.
             * @example cms-4711
             */
            externalId?: string | null;
            /**
             * @description Labels of the posts. A label that the workspace does not have is created.
             * @example [
             *       "Spring"
             *     ]
             */
            labels?: string[];
            /** @description Licence of the video. */
            license?: components["schemas"]["CreateYouTubeLicense"];
            /**
             * @description Whether the video is made for children.
             * @example false
             */
            madeForKids?: boolean;
            /**
             * @description Alternative texts of this post, by ID of the attachment. Each replaces the altText of the asset. YouTube takes none.
             * @example {
             *       "0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93": "Blue tiles on a wall"
             *     }
             */
            mediaAltTexts?: {
                [key: string]: string;
            };
            /**
             * Format: uuid
             * @description ID of the video.
             * @example 0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93
             */
            mediaId: string;
            /**
             * @description Values that the client stores with the posts: at most 20, with names of at most 40 characters.
             * @example {
             *       "campaign": "spring"
             *     }
             */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Whether subscribers are notified.
             * @example true
             */
            notifySubscribers?: boolean;
            /**
             * @description draft creates a draft. now publishes at once. next_slot publishes at the next free slot of the channel's posting schedule. A time (RFC 3339 with an offset, or without one beside timezone) publishes at that time. Every value except draft also needs the scope posts:publish. Default: `draft`.
             * @example 2026-03-01T09:00:00+02:00
             */
            schedule?: string;
            /**
             * @description IANA time zone of a time without an offset. A time that the clocks skip is the first instant after the gap; a time that occurs twice is the first of both. A time with an offset keeps it, which must be that of the time zone; Z is valid beside any.
             * @example Europe/Berlin
             */
            timezone?: string | null;
            /**
             * @description Title of the video. YouTube shows up to 100 characters and does not allow < and >.
             * @example How we make our tiles
             */
            title: string;
            /** @description video: a regular video. short: a Short, vertical or square and at most 3 minutes long. */
            videoType?: components["schemas"]["CreateYouTubeVideoType"];
            /** @description Visibility of the video. Default: `public`. */
            visibility?: components["schemas"]["CreateYouTubeVisibility"];
        };
        /**
         * @description video: a regular video. short: a Short, vertical or square and at most 3 minutes long.
         * @example video
         * @enum {string}
         */
        CreateYouTubeVideoType: "video" | "short";
        /**
         * @description Visibility of the video. Default: `public`.
         * @example public
         * @enum {string}
         */
        CreateYouTubeVisibility: "public" | "unlisted" | "private";
        CreatedWebhook: {
            /**
             * @description IDs of the channels of which events are sent; null: every event, also those without a channel. A channel stays in the list while it is disconnected.
             * @example [
             *       "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59"
             *     ]
             */
            channelIds: string[] | null;
            /**
             * Format: int64
             * @description Number of consecutive deliveries that used up all attempts. A successful delivery and enabling the webhook set it to 0.
             * @example 0
             */
            consecutiveFailures: number;
            /**
             * Format: date-time
             * @description Time at which the webhook was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /**
             * @description Description of the webhook.
             * @example Production
             */
            description: string | null;
            /**
             * Format: date-time
             * @description Time at which the webhook was disabled; null while it is active.
             * @example 2026-03-01T07:00:00.000Z
             */
            disabledAt: string | null;
            /**
             * @description Reason: CONSECUTIVE_FAILURES, GONE or MANUAL; null while the webhook is active. Tolerate new values.
             * @example CONSECUTIVE_FAILURES
             */
            disabledReason: string | null;
            /**
             * @description Event types that are sent; * matches all types, including future ones.
             * @example [
             *       "post.published",
             *       "post.failed"
             *     ]
             */
            events: components["schemas"]["EventType"][];
            /**
             * Format: uuid
             * @description ID of the webhook.
             * @example 0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71
             */
            id: string;
            /**
             * @description Whether events are sent. False after 10 consecutive exhausted deliveries, after a response 410 Gone, or if the webhook was disabled by a request.
             * @example true
             */
            isActive: boolean;
            /**
             * Format: date-time
             * @description Time until which the previous secret also signs; null if only the current secret signs.
             * @example 2026-03-01T07:00:00.000Z
             */
            previousSecretExpiresAt: string | null;
            /**
             * @description Secret of the signatures (X-Service-Signature). Store it safely: only this response contains it.
             * @example whsec_c2VjcmV0IG9mIDMyIHJhbmRvbSBieXRlcyBpbiBiYXM=
             */
            secret: string;
            /**
             * Format: date-time
             * @description Time of the last change of the webhook.
             * @example 2026-03-01T07:00:00.000Z
             */
            updatedAt: string;
            /**
             * Format: uri
             * @description URL that receives events.
             * @example https://hooks.example.com/social
             */
            url: string;
        };
        CreatorInfo: {
            /**
             * @description URL of the account's image. It expires after some hours.
             * @example https://cdn.example.com/acme.jpg
             */
            avatarUrl: string | null;
            /**
             * @description Whether the account has disabled comments.
             * @example false
             */
            commentDisabled: boolean;
            /**
             * @description Whether the account has disabled duets.
             * @example true
             */
            duetDisabled: boolean;
            /**
             * Format: int64
             * @description Maximum duration of a video, in seconds.
             * @example 600
             */
            maxVideoDurationSec: number;
            /**
             * @description Display name of the account.
             * @example Acme
             */
            nickname: string;
            /**
             * @description Visibilities that TikTok offers to the account. Without PUBLIC_TO_EVERYONE the account is private and requires uploadToDraft. Tolerate new values.
             * @example [
             *       "PUBLIC_TO_EVERYONE",
             *       "SELF_ONLY"
             *     ]
             */
            privacyLevelOptions: string[];
            /**
             * @description Whether the account has disabled stitches.
             * @example false
             */
            stitchDisabled: boolean;
        };
        DecisionRequest: {
            /**
             * @description Comment for the author. Included in the timeline and in the event.
             * @example Looks good.
             */
            comment?: string | null;
        };
        DeliveryAttempt: {
            /**
             * Format: int64
             * @description Duration of the attempt, in milliseconds.
             * @example 15000
             */
            durationMs: number;
            /**
             * @description Error of the attempt; null if it succeeded. status_1xx, status_3xx, status_4xx or status_5xx: the status of the response (redirects are not followed). timeout: no complete response header within 15 seconds. dns_error: the host name does not resolve. connection_refused: no connection was established. connection_reset: the connection was closed before the end of the response. tls_error: the TLS handshake or the certificate check failed. blocked_address, blocked_url: the address or the URL is not public or not allowed. too_large: the response header is too large. protocol_error: the response is not valid HTTP. canceled: the service canceled the attempt; the endpoint is not at fault. Tolerate new values.
             * @example status_5xx
             */
            error: string | null;
            /**
             * Format: int64
             * @description Number of the attempt, starting at 1.
             * @example 1
             */
            n: number;
            /**
             * @description The first 2 KiB of the response body, as text without control characters; null if there is none.
             * @example upstream is down
             */
            response: string | null;
            /**
             * Format: date-time
             * @description Start of the attempt; t in its signature.
             * @example 2026-03-01T07:00:00.000Z
             */
            startedAt: string;
            /**
             * Format: int64
             * @description HTTP status of the response; null if none was received.
             * @example 503
             */
            statusCode: number | null;
            /**
             * @description Trigger of the attempt. AUTOMATIC: the event, a scheduled retry, or a replay. MANUAL: a redelivery. TEST: webhook.test. Tolerate new values.
             * @example AUTOMATIC
             */
            trigger: string;
        };
        /**
         * @description PENDING: queued or being attempted. SUCCEEDED: the endpoint accepted it. FAILED: all attempts failed. CANCELLED: the webhook was disabled before an attempt succeeded. SKIPPED: the event was created while the webhook was disabled. One of PENDING, SUCCEEDED, FAILED, CANCELLED, SKIPPED. Tolerate new values.
         * @example PENDING
         */
        DeliveryStatus: "PENDING" | "SUCCEEDED" | "FAILED" | "CANCELLED" | "SKIPPED" | (string & {});
        /**
         * @description PENDING: queued or being attempted. SUCCEEDED: the endpoint accepted it. FAILED: all attempts failed. CANCELLED: the webhook was disabled before an attempt succeeded. SKIPPED: the event was created while the webhook was disabled. Tolerate new values.
         * @example PENDING
         * @enum {string}
         */
        DeliveryStatusInput: "PENDING" | "SUCCEEDED" | "FAILED" | "CANCELLED" | "SKIPPED";
        EditMediaRequest: {
            /**
             * @description Alternative text, for people who cannot see the file. null removes it.
             * @example Blue tiles on a wall
             */
            altText?: string | null;
            /**
             * @description Name of the asset, stored unchanged. Must not contain control characters, / or \.
             * @example spring-tiles.jpg
             */
            name?: string;
        };
        /** @description The first comment. Replaces it; null removes it. */
        EditPostFirstComment: {
            /**
             * @description Text of the comment; empty: none.
             * @example The recipe: https://acme.com/glaze
             */
            content?: string;
            /**
             * Format: int64
             * @description Seconds after the last part of the post.
             * @example 60
             */
            delaySeconds?: number;
        } | null;
        /** @description Settings of the platform. Fields that are sent replace those of the post, null removes a field, and other fields are unchanged (RFC 7396). null instead of an object removes all settings. */
        EditPostOptions: {
            /**
             * @description Google Business: URL of the button.
             * @example https://example.com/tiles
             */
            actionUrl?: string | null;
            /**
             * @description Instagram, X, TikTok and YouTube: whether the post is labelled as AI-generated.
             * @example true
             */
            aiGenerated?: boolean | null;
            /**
             * @description TikTok: whether others may comment, by default as the account has it.
             * @example true
             */
            allowComments?: boolean | null;
            /**
             * @description TikTok: whether others may make duets with the video.
             * @example true
             */
            allowDuet?: boolean | null;
            /**
             * @description YouTube: whether other sites may embed the video.
             * @example true
             */
            allowEmbedding?: boolean | null;
            /**
             * @description TikTok: whether others may stitch the video into theirs.
             * @example true
             */
            allowStitch?: boolean | null;
            /**
             * @description Pinterest: alternative text of the image.
             * @example Blue tiles
             */
            altText?: string | null;
            /**
             * @description Pinterest: the board to pin to.
             * @example 549755885175
             */
            boardId?: string | null;
            /**
             * @description Pinterest: the section of the board to pin to.
             * @example 549755885175
             */
            boardSectionId?: string | null;
            /**
             * @description X: whether the post is labelled as a paid partnership. TikTok: discloses a paid partnership.
             * @example true
             */
            brandContent?: boolean | null;
            /**
             * @description TikTok: discloses that the account promotes its own business.
             * @example true
             */
            brandOrganic?: boolean | null;
            /**
             * @description Google Business: kind of the button: BOOK, ORDER, SHOP, LEARN_MORE, SIGN_UP or CALL.
             * @example BOOK
             */
            callToAction?: string | null;
            /**
             * @description YouTube: the number of YouTube's category, such as 22.
             * @example 22
             */
            category?: string | null;
            /**
             * @description Instagram: user names of accounts that are invited as authors.
             * @example [
             *       "Blue",
             *       "Green"
             *     ]
             */
            collaborators?: string[] | null;
            /**
             * @description Bluesky: label of the attachments, by which readers hide them: sexual, nudity, porn or graphic-media.
             * @example sexual
             */
            contentLabel?: string | null;
            /**
             * @description Mastodon: warning that is shown instead of the post until a reader opens it, and counts as its text.
             * @example Blue tiles
             */
            contentWarning?: string | null;
            /**
             * @description Google Business: code of the offer.
             * @example Blue tiles
             */
            couponCode?: string | null;
            /**
             * @description Instagram: URL of a reel's cover.
             * @example https://example.com/tiles
             */
            coverUrl?: string | null;
            /**
             * @description Google Business: end, like eventStart.
             * @example 2026-03-01T09:00
             */
            eventEnd?: string | null;
            /**
             * @description Google Business: start, as a date or as a date and a time of the location.
             * @example 2026-03-01T09:00
             */
            eventStart?: string | null;
            /**
             * @description Google Business: title of an event or offer.
             * @example Blue tiles
             */
            eventTitle?: string | null;
            /**
             * @description Bluesky and Mastodon: language of the text, as a tag like en or pt-BR.
             * @example en
             */
            language?: string | null;
            /**
             * @description YouTube: the licence of the video: youtube or creativeCommon.
             * @example youtube
             */
            license?: string | null;
            /**
             * @description Facebook and Threads: URL of the card. LinkedIn: publishes the post as the card of this link, with the post's title and its image as the thumbnail. Pinterest: target URL of the pin.
             * @example https://example.com/tiles
             */
            link?: string | null;
            /**
             * @description Telegram: where the message shows the page of its first link: below, above or none.
             * @example below
             */
            linkPreview?: string | null;
            /**
             * @description Instagram: id of the Facebook Page of the place.
             * @example 549755885175
             */
            locationId?: string | null;
            /**
             * @description X: publishes a text of up to 25,000 characters, for accounts with X Premium. Threads: a text of more than 500 characters is attached, and the post shows its beginning. Telegram: publishes a text of up to 32,768 characters as a rich message.
             * @example true
             */
            longText?: boolean | null;
            /**
             * @description YouTube: whether the video is made for children.
             * @example true
             */
            madeForKids?: boolean | null;
            /**
             * @description YouTube: whether subscribers are notified.
             * @example true
             */
            notifySubscribers?: boolean | null;
            /**
             * Format: int64
             * @description X and Mastodon: minutes for which the poll is open, by default a day. LinkedIn: minutes for which the poll is open, by default a day: 1440, 4320, 10080 or 20160.
             * @example 5
             */
            pollMinutes?: number | null;
            /**
             * @description Telegram and Mastodon: whether a reader may choose several answers.
             * @example true
             */
            pollMultiple?: boolean | null;
            /**
             * @description X, LinkedIn, Threads, Telegram and Mastodon: answers of a poll below the text.
             * @example [
             *       "Blue",
             *       "Green"
             *     ]
             */
            pollOptions?: string[] | null;
            /**
             * @description LinkedIn: question of the poll, which it requires.
             * @example Blue tiles
             */
            pollQuestion?: string | null;
            /**
             * @description TikTok: who may watch: a level that the creator's information lists: PUBLIC_TO_EVERYONE, MUTUAL_FOLLOW_FRIENDS, FOLLOWER_OF_CREATOR or SELF_ONLY.
             * @example PUBLIC_TO_EVERYONE
             */
            privacy?: string | null;
            /**
             * @description Telegram: whether Telegram prevents forwarding and saving the post.
             * @example true
             */
            protected?: boolean | null;
            /**
             * @description X and Bluesky: address of the post to quote.
             * @example https://example.com/tiles
             */
            quote?: string | null;
            /**
             * @description Google Business: URL at which the offer is redeemed.
             * @example https://example.com/tiles
             */
            redeemUrl?: string | null;
            /**
             * @description X: who may reply: everyone, following, mentioned, subscribers or verified. Threads: who may reply: everyone, following, followers or mentioned. Bluesky: who may reply: everyone, following, followers, mentioned or none.
             * @example everyone
             */
            replies?: string | null;
            /**
             * @description Threads, Telegram and Mastodon: whether the attachments are hidden until a reader opens them.
             * @example true
             */
            sensitive?: boolean | null;
            /**
             * @description Instagram: whether a reel is also shown in the feed.
             * @example true
             */
            shareToFeed?: boolean | null;
            /**
             * @description Telegram: whether subscribers are notified without a sound.
             * @example true
             */
            silent?: boolean | null;
            /**
             * @description YouTube: tags of the video.
             * @example [
             *       "Blue",
             *       "Green"
             *     ]
             */
            tags?: string[] | null;
            /**
             * @description Google Business: terms of the offer.
             * @example Blue tiles
             */
            terms?: string | null;
            /**
             * Format: int64
             * @description Instagram, TikTok and Pinterest: the frame that is the cover.
             * @example 1500
             */
            thumbOffset?: number | null;
            /**
             * @description Threads: topic of the post, without #.
             * @example Blue tiles
             */
            topicTag?: string | null;
            /**
             * @description Google Business: kind of post: STANDARD, EVENT or OFFER.
             * @example STANDARD
             */
            topicType?: string | null;
            /**
             * @description Instagram: shows a reel to people who do not follow first, and to followers by hand or when it does well: manual or automatic.
             * @example manual
             */
            trialReel?: string | null;
            /**
             * @description TikTok: sends a draft to the creator's inbox instead of publishing.
             * @example true
             */
            uploadToDraft?: boolean | null;
            /**
             * @description Instagram: user names of accounts that are tagged in the first file.
             * @example [
             *       "Blue",
             *       "Green"
             *     ]
             */
            userTags?: string[] | null;
            /**
             * @description YouTube: a regular video or a Short: video or short.
             * @example video
             */
            videoType?: string | null;
            /**
             * @description LinkedIn: visibility of the post: everyone, or the member's connections: PUBLIC or CONNECTIONS. YouTube: visibility of the video: public, unlisted or private. Mastodon: visibility of the post: everyone, everyone but not in public lists, or followers: public, unlisted or private.
             * @example PUBLIC
             */
            visibility?: string | null;
        } | null;
        /** @description Waits for another post; null: waits for none. For a SCHEDULED post it also needs the scope posts:publish. */
        EditPostPublishAfter: {
            /**
             * Format: uuid
             * @description Instead of postId: the channel whose post of this request must be published first.
             * @example 0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59
             */
            channelId?: string;
            /**
             * Format: int64
             * @description Seconds after that post.
             * @example 600
             */
            delaySeconds?: number;
            /**
             * @description If that post fails or is deleted: hold (default) waits for it, cancel returns to DRAFT, publish publishes.
             * @example hold
             */
            onFailure?: components["schemas"]["OnFailureInput"];
            /**
             * Format: uuid
             * @description Post that must be published first.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60
             */
            postId?: string;
        } | null;
        EditPostRequest: {
            /**
             * Format: uuid
             * @description Campaign of the post; null takes it out of its campaign.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b65
             */
            campaignId?: string | null;
            /**
             * @description Text of the post.
             * @example Our spring collection is here at last.
             */
            content?: string;
            /** @description Kind of content. */
            contentType?: components["schemas"]["ContentTypeInput"];
            /**
             * @description ID of the post in the client's own system; null removes it.
             * @example cms-4711
             */
            externalId?: string | null;
            /** @description The first comment. Replaces it; null removes it. */
            firstComment?: components["schemas"]["EditPostFirstComment"] | null;
            /**
             * @description Labels of the post. Replaces all of them; null removes them.
             * @example [
             *       "Spring"
             *     ]
             */
            labels?: string[] | null;
            /**
             * @description Alternative texts of this post, by ID of the attachment. Replaces all of them; null removes them. If omitted, those of removed media are removed.
             * @example {
             *       "0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93": "Blue tiles on a wall"
             *     }
             */
            mediaAltTexts?: {
                [key: string]: string;
            } | null;
            /** @description IDs of media in display order. Replaces all media of the post. */
            mediaIds?: string[];
            /**
             * @description Values that the client stores with the post. Values that are sent replace those of the post, null removes a value, and other values are unchanged (RFC 7396). null instead of an object removes all.
             * @example {
             *       "campaign": "spring"
             *     }
             */
            metadata?: {
                [key: string]: string | null;
            } | null;
            /** @description Settings of the platform. Fields that are sent replace those of the post, null removes a field, and other fields are unchanged (RFC 7396). null instead of an object removes all settings. */
            options?: components["schemas"]["EditPostOptions"] | null;
            /** @description Waits for another post; null: waits for none. For a SCHEDULED post it also needs the scope posts:publish. */
            publishAfter?: components["schemas"]["EditPostPublishAfter"] | null;
            /**
             * @description RFC 3339 with an offset, or without one beside timezone. For a DRAFT, sets the intended time, which is kept through approval and does not schedule the post; null removes it. For a SCHEDULED post, changes the time of publishing, which also needs the scope posts:publish.
             * @example 2026-03-01T09:00:00+02:00
             */
            scheduledAt?: string | null;
            /** @description The parts after the first. Replaces all of them; null or an empty list removes them. */
            thread?: components["schemas"]["Part"][] | null;
            /**
             * @description IANA time zone of a time without an offset. A time that the clocks skip is the first instant after the gap; a time that occurs twice is the first of both. A time with an offset keeps it, which must be that of the time zone; Z is valid beside any.
             * @example Europe/Berlin
             */
            timezone?: string | null;
            /**
             * @description Title; null removes it.
             * @example Spring collection
             */
            title?: string | null;
        };
        EventPage: {
            /** @description Events in the order of sort. */
            data: components["schemas"]["LoggedEvent"][];
            /**
             * @description Whether the log contains further events.
             * @example false
             */
            hasMore: boolean;
            /**
             * @description Cursor of the following events. Send it as cursor, now or later, with the same filters. Set on every page with events, also on the last one. Null on a page without events: keep the previous cursor.
             * @example AQGQo8YsE356m1VqLj1MW2BvQ2k3c1R5bWx3aGVyZQ
             */
            nextCursor: string | null;
        };
        /**
         * @description Type of an event; * matches all types, including future ones. One of *, post.created, post.scheduled, post.unscheduled, post.updated, post.published, post.part_failed, post.completed, post.failed, post.deleted, post.approval_requested, post.approved, post.rejected, post.commented, channel.connected, channel.disconnected, channel.access_lost, channel.access_restored, channel.expiring, media.ready, media.failed, lead.created, lead.stage_changed, webhook.test. Tolerate new values.
         * @example *
         */
        EventType: "*" | "post.created" | "post.scheduled" | "post.unscheduled" | "post.updated" | "post.published" | "post.part_failed" | "post.completed" | "post.failed" | "post.deleted" | "post.approval_requested" | "post.approved" | "post.rejected" | "post.commented" | "channel.connected" | "channel.disconnected" | "channel.access_lost" | "channel.access_restored" | "channel.expiring" | "media.ready" | "media.failed" | "lead.created" | "lead.stage_changed" | "webhook.test" | (string & {});
        /**
         * @description Type of an event; * matches all types, including future ones. Tolerate new values.
         * @example *
         * @enum {string}
         */
        EventTypeInput: "*" | "post.created" | "post.scheduled" | "post.unscheduled" | "post.updated" | "post.published" | "post.part_failed" | "post.completed" | "post.failed" | "post.deleted" | "post.approval_requested" | "post.approved" | "post.rejected" | "post.commented" | "channel.connected" | "channel.disconnected" | "channel.access_lost" | "channel.access_restored" | "channel.expiring" | "media.ready" | "media.failed" | "lead.created" | "lead.stage_changed" | "webhook.test";
        FailedPart: {
            /** @description Reason why the part is not published. */
            error: components["schemas"]["PostError"] | null;
            /**
             * Format: int64
             * @description Position of the part, from 0, the post itself.
             * @example 2
             */
            index: number;
            /** @description REPLY in a thread, or COMMENT under the post. */
            kind: components["schemas"]["FailedPartKind"];
            /** @description FAILED, or UNKNOWN: the network may have the part. */
            status: components["schemas"]["FailedPartStatus"];
        };
        /**
         * @description REPLY in a thread, or COMMENT under the post. One of REPLY, COMMENT. Tolerate new values.
         * @example REPLY
         */
        FailedPartKind: "REPLY" | "COMMENT" | (string & {});
        /**
         * @description FAILED, or UNKNOWN: the network may have the part. One of FAILED, UNKNOWN. Tolerate new values.
         * @example FAILED
         */
        FailedPartStatus: "FAILED" | "UNKNOWN" | (string & {});
        /** @description A block of the type FAQ. */
        FaqBlock: {
            /**
             * Format: uuid
             * @description Id of the block. It stays the same when the page is published.
             * @example 0190a3d2-e8df-7c46-97d0-36c40f68e72c
             */
            id: string;
            /**
             * @description Whether the block is shown.
             * @example true
             */
            isVisible: boolean;
            /** @description Content of the block. Its fields depend on the type. */
            settings: components["schemas"]["FaqBlockSettings"];
            /**
             * Format: date-time
             * @description Start of the display period. Null: no start.
             * @example 2026-03-01T07:00:00.000Z
             */
            showFrom: string | null;
            /**
             * Format: date-time
             * @description End of the display period. Null: no end.
             * @example 2026-03-01T07:00:00.000Z
             */
            showUntil: string | null;
            /**
             * @description Type of the block. It never changes. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "FAQ";
        };
        FaqBlockSettings: {
            /** @description Questions with their answers, in display order. */
            items: components["schemas"]["FaqItem"][];
            /**
             * @description Heading of the questions.
             * @example Questions
             */
            title: string | null;
        };
        FaqBlockSettingsInput: {
            /** @description Questions with their answers, in display order. */
            items: components["schemas"]["FaqItemInput"][];
            /**
             * @description Heading of the questions.
             * @example Questions
             */
            title?: string | null;
        };
        FaqItem: {
            /**
             * @description The answer. Line breaks are kept.
             * @example Yes, all of them.
             */
            answer: string;
            /**
             * @description The question, on one line.
             * @example Are they dishwasher safe?
             */
            question: string;
        };
        FaqItemInput: {
            /**
             * @description The answer. Line breaks are kept.
             * @example Yes, all of them.
             */
            answer: string;
            /**
             * @description The question, on one line.
             * @example Are they dishwasher safe?
             */
            question: string;
        };
        Fault: {
            /**
             * @description Explanation of the fault.
             * @example must be a UUID
             */
            message: string;
            /**
             * @description Location of the fault: a JSON Pointer (RFC 6901) into the body, or the name of a parameter.
             * @example /channelIds/0
             */
            pointer: string;
        };
        Finding: {
            /**
             * @description Code of the problem that scheduling or publishing would return.
             * @example VALIDATION_FAILED
             */
            code: string;
            /**
             * @description Explanation of the finding.
             * @example The text is 12 characters too long for X: it counts as 292, and 280 are allowed. Shorten it.
             */
            message: string;
            /**
             * @description Location of the finding: a JSON Pointer (RFC 6901) into the body.
             * @example /content
             */
            pointer: string;
        };
        GivenApproval: {
            /**
             * Format: date-time
             * @description Time of the approval.
             * @example 2026-03-01T07:00:00.000Z
             */
            at: string;
            /**
             * @description Name of the person.
             * @example Mara Lindqvist
             */
            by: string;
        };
        IdeaBoard: {
            /**
             * Format: int64
             * @description Number of cards on the board.
             * @example 1
             */
            cardCount: number;
            /** @description Columns from left to right. */
            columns: components["schemas"]["IdeaColumn"][];
            /**
             * Format: date-time
             * @description Time at which the board was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: uuid
             * @description ID of the board.
             * @example 0190a3ce-a49b-7012-93dd-e2a0bf24d3e8
             */
            id: string;
            /** @description Labels available to cards of the board. */
            labels: components["schemas"]["IdeaLabel"][];
            /**
             * @description Name of the board.
             * @example Ideas
             */
            name: string;
            /**
             * Format: date-time
             * @description Time of the last change of the board or of a card on it.
             * @example 2026-03-01T07:00:00.000Z
             */
            updatedAt: string;
        };
        IdeaBoardCards: {
            /**
             * Format: int64
             * @description Number of cards on the board.
             * @example 1
             */
            cardCount: number;
            /** @description Cards by column from left to right, then from top to bottom. */
            cards: components["schemas"]["IdeaCard"][];
            /** @description Columns from left to right. */
            columns: components["schemas"]["IdeaColumn"][];
            /**
             * Format: date-time
             * @description Time at which the board was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: uuid
             * @description ID of the board.
             * @example 0190a3ce-a49b-7012-93dd-e2a0bf24d3e8
             */
            id: string;
            /** @description Labels available to cards of the board. */
            labels: components["schemas"]["IdeaLabel"][];
            /**
             * @description Name of the board.
             * @example Ideas
             */
            name: string;
            /**
             * @description Cursor of the following cards; null if there are none.
             * @example AQGQo8YsE356m1VqLj1MW2BvQ2k3c1R5bWx3aGVyZQ
             */
            nextCursor: string | null;
            /**
             * Format: date-time
             * @description Time of the last change of the board or of a card on it.
             * @example 2026-03-01T07:00:00.000Z
             */
            updatedAt: string;
        };
        IdeaBoardList: {
            /** @description Boards, oldest first. */
            data: components["schemas"]["IdeaBoard"][];
            /**
             * @description Always null: the list has a single page.
             * @example null
             */
            nextCursor: string | null;
        };
        IdeaCard: {
            /**
             * Format: uuid
             * @description ID of the card's board.
             * @example 0190a3ce-a49b-7012-93dd-e2a0bf24d3e8
             */
            boardId: string;
            /**
             * Format: uuid
             * @description ID of the card's column.
             * @example 0190a3cf-b5ac-7123-a4ee-f3b1c035e4f9
             */
            columnId: string;
            /**
             * @description Notes; empty if there are none.
             * @example Three photos, then the first firing as a reel.
             */
            content: string;
            /**
             * Format: date-time
             * @description Time at which the card was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: uuid
             * @description ID of the card.
             * @example 0190a3d1-d7ce-7345-8610-15d3e25706fb
             */
            id: string;
            /**
             * @description IDs of the card's labels, in the board's order.
             * @example [
             *       "0190a3d0-c6bd-7234-b5ff-04c2d146f50a"
             *     ]
             */
            labelIds: string[];
            /**
             * @description Source of the idea; null if there is none.
             * @example https://example.com/ceramics-trends
             */
            link: string | null;
            /** @description IDs of the card's media, in display order. */
            mediaIds: string[];
            /**
             * Format: int64
             * @description Zero-based position in the column, from the top.
             * @example 0
             */
            position: number;
            /**
             * @description The idea in one line.
             * @example Behind the scenes: the new kiln
             */
            title: string;
            /**
             * Format: date-time
             * @description Time of the last change of the card.
             * @example 2026-03-01T07:00:00.000Z
             */
            updatedAt: string;
        };
        IdeaColumn: {
            /**
             * Format: int64
             * @description Number of cards in the column.
             * @example 1
             */
            cardCount: number;
            /**
             * Format: uuid
             * @description ID of the column.
             * @example 0190a3cf-b5ac-7123-a4ee-f3b1c035e4f9
             */
            id: string;
            /**
             * @description Name of the column.
             * @example Ideas
             */
            name: string;
        };
        IdeaLabel: {
            /**
             * @description Color of the label: #rrggbb in lower case, dark enough for white text.
             * @example #6a1b9a
             */
            color: string;
            /**
             * Format: uuid
             * @description ID of the label.
             * @example 0190a3d0-c6bd-7234-b5ff-04c2d146f50a
             */
            id: string;
            /**
             * @description Name of the label.
             * @example Behind the scenes
             */
            name: string;
        };
        ImportMediaRequest: {
            /**
             * @description Name of the asset, stored unchanged. Must not contain control characters, / or \. Defaults to the name of the file.
             * @example spring.jpg
             */
            name?: string | null;
            /**
             * @description Source of the file, stored as attribution within the workspace. The service never requests it and never returns it.
             * @example https://example.com/spring
             */
            sourceUrl?: string | null;
            /**
             * @description URL of the file: http or https, a public address, port 80 or 443, no user information.
             * @example https://cdn.example.com/spring.jpg
             */
            url: string;
        };
        Lead: {
            /**
             * Format: email
             * @description Email address of the lead.
             * @example mara@example.com
             */
            contact_email: string | null;
            /**
             * @description Phone number of the lead, stored unchanged.
             * @example +46 70 123 45 67
             */
            contact_phone: string | null;
            /**
             * Format: date-time
             * @description Time at which the lead was captured.
             * @example 2026-03-01T06:00:00.000Z
             */
            created_at: string;
            /**
             * @description Currency of the value (ISO 4217).
             * @example EUR
             */
            currency: string | null;
            /**
             * Format: date-time
             * @description Planned time of the next contact.
             * @example 2026-03-04T09:00:00.000Z
             */
            follow_up_at: string | null;
            /**
             * @description Name of the account on its platform.
             * @example mara.builds
             */
            handle: string | null;
            /**
             * Format: uuid
             * @description ID of the lead.
             * @example 0190a3ca-6057-7cbe-bf99-ae6c7b809fa4
             */
            id: string;
            /**
             * @description Interest of the lead.
             * @example Asked for prices of the wall tiles.
             */
            interest: string | null;
            /**
             * @description Reason why the lead was lost; null unless the stage is LOST.
             * @example Chose another supplier.
             */
            lost_reason: string | null;
            /**
             * @description Name of the person.
             * @example Mara Lindqvist
             */
            name: string;
            /**
             * Format: uuid
             * @description ID of the person, if the lead is linked to a person of the workspace.
             * @example 0190a3cb-7168-7dcf-80aa-bf7d8c91a0b5
             */
            person_id: string | null;
            /**
             * @description Platform of the lead. One of FACEBOOK, INSTAGRAM, TWITTER, LINKEDIN, TIKTOK, YOUTUBE, PINTEREST, GOOGLE_BUSINESS, THREADS, TELEGRAM, WHATSAPP, BLUESKY, MASTODON. Tolerate new values.
             * @example FACEBOOK
             */
            platform: string | null;
            /**
             * Format: uri
             * @description URL of the profile; http or https.
             * @example https://www.instagram.com/mara.builds
             */
            profile_url: string | null;
            /** @description Source of the lead. */
            source: components["schemas"]["LeadSource"];
            /** @description Stage of the lead. */
            stage: components["schemas"]["LeadStage"];
            /**
             * @description Estimated likelihood that the lead buys. One of COLD, WARM, HOT. Tolerate new values.
             * @example COLD
             */
            temperature: string | null;
            /**
             * Format: date-time
             * @description Time of the last change of the lead.
             * @example 2026-03-01T07:00:00.000Z
             */
            updated_at: string;
            /**
             * Format: double
             * @description Estimated value of the deal, in units of the currency.
             * @example 1200.5
             */
            value: number | null;
        };
        /**
         * A lead was captured
         * @description Sent when a lead is captured by the Sales Lead agent, by the browser extension or by hand.
         * @example {
         *       "createdAt": "2026-03-01T07:00:00.000Z",
         *       "data": {
         *         "lead": {
         *           "contact_email": "mara@example.com",
         *           "contact_phone": null,
         *           "created_at": "2026-03-01T06:00:00.000Z",
         *           "currency": "EUR",
         *           "follow_up_at": "2026-03-04T09:00:00.000Z",
         *           "handle": "mara.builds",
         *           "id": "0190a3ca-6057-7cbe-bf99-ae6c7b809fa4",
         *           "interest": "Asked for prices of the wall tiles.",
         *           "lost_reason": null,
         *           "name": "Mara Lindqvist",
         *           "person_id": null,
         *           "platform": "INSTAGRAM",
         *           "profile_url": "https://www.instagram.com/mara.builds",
         *           "source": "BROWSER_EXTENSION",
         *           "stage": "CONTACTED",
         *           "temperature": "WARM",
         *           "updated_at": "2026-03-01T06:00:00.000Z",
         *           "value": 1200.5
         *         }
         *       },
         *       "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
         *       "sequence": 1207,
         *       "type": "lead.created",
         *       "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
         *     }
         */
        LeadCreatedEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Data of the event. */
            data: components["schemas"]["LeadEventData"];
            /**
             * @description ID of the event, the same for every attempt. Use it to detect duplicates.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            id: string;
            /**
             * @description test in events of a test workspace; absent in others.
             * @example test
             * @enum {string}
             */
            mode?: "test";
            /**
             * Format: int64
             * @description Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the later one has the higher number.
             * @example 1207
             */
            sequence: number;
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "lead.created";
            /**
             * Format: uuid
             * @description ID of the event's workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            workspaceId: string;
        };
        LeadEventData: {
            /** @description The lead. */
            lead: components["schemas"]["Lead"];
        };
        /**
         * @description Source of a lead. One of SALES_LEAD_AGENT, BROWSER_EXTENSION, MANUAL. Tolerate new values.
         * @example SALES_LEAD_AGENT
         */
        LeadSource: "SALES_LEAD_AGENT" | "BROWSER_EXTENSION" | "MANUAL" | (string & {});
        /**
         * @description Stage of a lead. One of NEW, CONTACTED, QUALIFIED, PROPOSAL, WON, LOST. Tolerate new values.
         * @example NEW
         */
        LeadStage: "NEW" | "CONTACTED" | "QUALIFIED" | "PROPOSAL" | "WON" | "LOST" | (string & {});
        /**
         * A lead moved to another stage
         * @description Sent when a lead moves to another stage. Other changes of a lead send no event.
         * @example {
         *       "createdAt": "2026-03-01T07:00:00.000Z",
         *       "data": {
         *         "lead": {
         *           "contact_email": "mara@example.com",
         *           "contact_phone": null,
         *           "created_at": "2026-03-01T06:00:00.000Z",
         *           "currency": "EUR",
         *           "follow_up_at": "2026-03-04T09:00:00.000Z",
         *           "handle": "mara.builds",
         *           "id": "0190a3ca-6057-7cbe-bf99-ae6c7b809fa4",
         *           "interest": "Asked for prices of the wall tiles.",
         *           "lost_reason": null,
         *           "name": "Mara Lindqvist",
         *           "person_id": null,
         *           "platform": "INSTAGRAM",
         *           "profile_url": "https://www.instagram.com/mara.builds",
         *           "source": "BROWSER_EXTENSION",
         *           "stage": "QUALIFIED",
         *           "temperature": "WARM",
         *           "updated_at": "2026-03-01T07:00:00.000Z",
         *           "value": 1200.5
         *         },
         *         "previous_stage": "CONTACTED",
         *         "stage": "QUALIFIED"
         *       },
         *       "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
         *       "sequence": 1207,
         *       "type": "lead.stage_changed",
         *       "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
         *     }
         */
        LeadStageChangedEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Data of the event. */
            data: components["schemas"]["LeadStageEventData"];
            /**
             * @description ID of the event, the same for every attempt. Use it to detect duplicates.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            id: string;
            /**
             * @description test in events of a test workspace; absent in others.
             * @example test
             * @enum {string}
             */
            mode?: "test";
            /**
             * Format: int64
             * @description Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the later one has the higher number.
             * @example 1207
             */
            sequence: number;
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "lead.stage_changed";
            /**
             * Format: uuid
             * @description ID of the event's workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            workspaceId: string;
        };
        LeadStageEventData: {
            /** @description The changed lead. */
            lead: components["schemas"]["Lead"];
            /** @description Previous stage of the lead. */
            previous_stage: components["schemas"]["LeadStage"];
            /** @description Current stage of the lead, equal to stage of the lead. */
            stage: components["schemas"]["LeadStage"];
        };
        /** @description A block of the type LINK. */
        LinkBlock: {
            /**
             * Format: uuid
             * @description Id of the block. It stays the same when the page is published.
             * @example 0190a3d2-e8df-7c46-97d0-36c40f68e72c
             */
            id: string;
            /**
             * @description Whether the block is shown.
             * @example true
             */
            isVisible: boolean;
            /** @description Content of the block. Its fields depend on the type. */
            settings: components["schemas"]["LinkBlockSettings"];
            /**
             * Format: date-time
             * @description Start of the display period. Null: no start.
             * @example 2026-03-01T07:00:00.000Z
             */
            showFrom: string | null;
            /**
             * Format: date-time
             * @description End of the display period. Null: no end.
             * @example 2026-03-01T07:00:00.000Z
             */
            showUntil: string | null;
            /**
             * @description Type of the block. It never changes. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "LINK";
        };
        LinkBlockSettings: {
            /**
             * @description A line below the title.
             * @example New bowls every Friday
             */
            description: string | null;
            /**
             * @description Whether the button is filled with the accent color.
             * @example true
             */
            featured: boolean;
            /**
             * Format: uuid
             * @description An IMAGE or a GIF of the workspace.
             * @example 0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93
             */
            imageMediaId: string | null;
            /**
             * @description Text of the button, on one line.
             * @example Shop
             */
            title: string;
            /**
             * Format: uri
             * @description A URL with https, mailto or tel.
             * @example https://shop.example.com/spring
             */
            url: string;
        };
        LinkBlockSettingsInput: {
            /**
             * @description A line below the title.
             * @example New bowls every Friday
             */
            description?: string | null;
            /**
             * @description Whether the button is filled with the accent color. Default: `false`.
             * @example true
             */
            featured?: boolean;
            /**
             * Format: uuid
             * @description An IMAGE or a GIF of the workspace.
             * @example 0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93
             */
            imageMediaId?: string | null;
            /**
             * @description Text of the button, on one line.
             * @example Shop
             */
            title: string;
            /**
             * Format: uri
             * @description A URL with https, mailto or tel.
             * @example https://shop.example.com/spring
             */
            url: string;
        };
        LinkPage: {
            /**
             * @description Text below the title, in the draft.
             * @example Ceramics from Leipzig
             */
            bio: string | null;
            /** @description Blocks of the draft, in display order. */
            blocks: components["schemas"]["LinkPageBlock"][];
            /**
             * Format: date-time
             * @description Time at which the page was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /**
             * @description Last part of the page's URL, in the draft.
             * @example mara-weber
             */
            handle: string;
            /**
             * @description Whether publishing would change what visitors see. True while the page is not published.
             * @example false
             */
            hasUnpublishedChanges: boolean;
            /**
             * Format: uuid
             * @description Id of the page.
             * @example 0190a3d1-d7ce-7b35-86bf-25b3fe57d61b
             */
            id: string;
            /** @description The published version, which visitors see. Null while the page is not published. */
            published: components["schemas"]["PublishedLinkPage"] | null;
            /**
             * Format: int64
             * @description Number of changes of the page. In quotes, it is the page's ETag.
             * @example 7
             */
            revision: number;
            /** @description Data for search engines and link previews, in the draft. */
            seo: components["schemas"]["LinkPageSEO"];
            /** @description PUBLISHED while visitors can see the page, otherwise DRAFT. */
            status: components["schemas"]["LinkPageStatus"];
            /** @description Design of the page, in the draft. */
            theme: components["schemas"]["LinkPageTheme"];
            /**
             * @description Title, in the draft.
             * @example Mara Weber
             */
            title: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             * @example 2026-03-01T07:00:00.000Z
             */
            updatedAt: string;
            /**
             * Format: uri
             * @description URL of the page once the draft is published.
             * @example https://pages.example.com/mara-weber
             */
            url: string;
        };
        LinkPageAnalytics: {
            /** @description Blocks with clicks, most clicked first. */
            blocks: components["schemas"]["BlockClicks"][];
            /**
             * Format: int64
             * @description Number of clicks on blocks.
             * @example 310
             */
            clicks: number;
            /** @description Days of the range, oldest first. */
            data: components["schemas"]["PageDay"][];
            /**
             * Format: date
             * @description First day, in UTC.
             * @example 2026-02-01
             */
            from: string;
            /**
             * Format: uuid
             * @description The page.
             * @example 0190a3d1-d7ce-7b35-86bf-25b3fe57d61b
             */
            linkPageId: string;
            /**
             * Format: date
             * @description Last day, in UTC.
             * @example 2026-03-01
             */
            to: string;
            /**
             * Format: int64
             * @description Sum of the unique visitors of each day. A visitor on two days counts twice, because visitors are not identified across days.
             * @example 877
             */
            uniqueVisitors: number;
            /**
             * Format: int64
             * @description Number of page views. Requests by crawlers are not counted.
             * @example 1204
             */
            views: number;
        };
        LinkPageBlock: components["schemas"]["LinkBlock"] | components["schemas"]["TextBlock"] | components["schemas"]["SectionBlock"] | components["schemas"]["PostCardBlock"] | components["schemas"]["ProductBlock"] | components["schemas"]["CouponBlock"] | components["schemas"]["CountdownBlock"] | components["schemas"]["NoticeBarBlock"] | components["schemas"]["FaqBlock"] | components["schemas"]["TestimonialBlock"];
        /** @description Settings of a block to change. Only fields of the block's own type are accepted. */
        LinkPageBlockSettingsChange: {
            /** @description TEXT: Alignment of the lines. */
            align?: components["schemas"]["TextBlockSettingsAlignInput"];
            /**
             * @description TESTIMONIAL: Name of the author.
             * @example Jonas Lindqvist
             */
            author?: string;
            /**
             * @description PRODUCT: Text of the button. Null: a default text. COUPON, COUNTDOWN, NOTICE_BAR: Text of the button. Requires url.
             * @example Buy
             */
            buttonLabel?: string | null;
            /**
             * @description POST_CARD: A line below the post.
             * @example From the kiln
             */
            caption?: string | null;
            /**
             * @description COUPON: Code that visitors copy.
             * @example SPRING10
             */
            code?: string;
            /**
             * @description PRODUCT: Currency of the price (ISO 4217).
             * @example EUR
             */
            currency?: string | null;
            /**
             * @description LINK: A line below the title. SECTION: Text below the heading. PRODUCT: Description of the product. COUPON: Description of the offer.
             * @example New bowls every Friday
             */
            description?: string | null;
            /**
             * @description COUNTDOWN: Text shown after the end.
             * @example The kiln is open!
             */
            endedText?: string | null;
            /**
             * Format: date-time
             * @description COUNTDOWN: End of the countdown.
             * @example 2026-03-01T07:00:00.000Z
             */
            endsAt?: string;
            /**
             * Format: date-time
             * @description COUPON: Time until which the code is valid. Null: no end.
             * @example 2026-03-01T07:00:00.000Z
             */
            expiresAt?: string | null;
            /**
             * @description LINK: Whether the button is filled with the accent color.
             * @example true
             */
            featured?: boolean;
            /**
             * Format: uuid
             * @description LINK, PRODUCT, TESTIMONIAL: An IMAGE or a GIF of the workspace.
             * @example 0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93
             */
            imageMediaId?: string | null;
            /** @description FAQ: Questions with their answers, in display order. */
            items?: components["schemas"]["FaqItemInput"][];
            /**
             * @description PRODUCT: Name of the product.
             * @example Breakfast bowl
             */
            name?: string;
            /**
             * Format: uuid
             * @description POST_CARD: Post of the workspace. It is shown once it is published.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60
             */
            postId?: string;
            /**
             * @description PRODUCT: Exact amount, as text. Requires currency.
             * @example 38.00
             */
            price?: string | null;
            /**
             * @description TESTIMONIAL: The quote.
             * @example The bowls are a joy every morning.
             */
            quote?: string;
            /**
             * Format: int64
             * @description TESTIMONIAL: Number of stars. Null: no stars are shown.
             * @example 5
             */
            rating?: number | null;
            /**
             * @description TESTIMONIAL: Role or company of the author.
             * @example Café Nord
             */
            role?: string | null;
            /**
             * @description TEXT: The text. Line breaks are kept. NOTICE_BAR: The notice, on one line.
             * @example I make tableware in small batches.
             */
            text?: string;
            /**
             * @description LINK: Text of the button, on one line. SECTION: Heading of the following blocks. COUPON: Title, such as the discount. COUNTDOWN: Name of the event. FAQ: Heading of the questions.
             * @example Shop
             */
            title?: string | null;
            /** @description NOTICE_BAR: Kind of the notice. */
            tone?: components["schemas"]["NoticeBarBlockSettingsToneInput"];
            /**
             * Format: uri
             * @description LINK, PRODUCT, COUPON, COUNTDOWN, NOTICE_BAR: A URL with https, mailto or tel.
             * @example https://shop.example.com/spring
             */
            url?: string | null;
        };
        LinkPageList: {
            /** @description Link pages, oldest first, without their blocks. A workspace has at most 100, so the list has a single page. */
            data: components["schemas"]["LinkPageSummary"][];
            /**
             * @description Always null.
             * @example null
             */
            nextCursor: string | null;
        };
        LinkPageSEO: {
            /**
             * @description Description. Null: the page's bio.
             * @example Bowls and cups, thrown by hand.
             */
            description: string | null;
            /**
             * Format: uuid
             * @description Image of previews. Null: the page's avatar.
             * @example 0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93
             */
            imageMediaId: string | null;
            /**
             * @description Whether the page asks search engines not to index it.
             * @example false
             */
            noIndex: boolean;
            /**
             * @description Title. Null: the page's title.
             * @example Mara Weber, ceramics
             */
            title: string | null;
        };
        LinkPageSEOInput: {
            /**
             * @description Description. Null: the page's bio.
             * @example Bowls and cups, thrown by hand.
             */
            description?: string | null;
            /**
             * Format: uuid
             * @description Image of previews: an IMAGE or a GIF of the workspace. Null: the page's avatar.
             * @example 0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93
             */
            imageMediaId?: string | null;
            /**
             * @description Whether the page asks search engines not to index it. Default: false.
             * @example false
             */
            noIndex?: boolean;
            /**
             * @description Title. Null: the page's title.
             * @example Mara Weber, ceramics
             */
            title?: string | null;
        };
        /**
         * @description State of a link page. One of DRAFT, PUBLISHED. Tolerate new values.
         * @example DRAFT
         */
        LinkPageStatus: "DRAFT" | "PUBLISHED" | (string & {});
        LinkPageSummary: {
            /**
             * Format: int64
             * @description Number of blocks in the draft.
             * @example 5
             */
            blockCount: number;
            /**
             * Format: date-time
             * @description Time at which the page was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /**
             * @description Last part of the page's URL, in the draft.
             * @example mara-weber
             */
            handle: string;
            /**
             * @description Whether publishing would change what visitors see. True while the page is not published.
             * @example false
             */
            hasUnpublishedChanges: boolean;
            /**
             * Format: uuid
             * @description Id of the page.
             * @example 0190a3d1-d7ce-7b35-86bf-25b3fe57d61b
             */
            id: string;
            /**
             * Format: date-time
             * @description Time of the last publication. Null while the page is not published.
             * @example 2026-03-01T07:00:00.000Z
             */
            publishedAt: string | null;
            /**
             * Format: uri
             * @description URL of the published version. Null while the page is not published.
             * @example https://pages.example.com/mara-weber
             */
            publishedUrl: string | null;
            /**
             * Format: int64
             * @description Number of changes of the page.
             * @example 7
             */
            revision: number;
            /** @description PUBLISHED while visitors can see the page, otherwise DRAFT. */
            status: components["schemas"]["LinkPageStatus"];
            /**
             * @description Title, in the draft.
             * @example Mara Weber
             */
            title: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             * @example 2026-03-01T07:00:00.000Z
             */
            updatedAt: string;
            /**
             * Format: uri
             * @description URL of the page once the draft is published.
             * @example https://pages.example.com/mara-weber
             */
            url: string;
        };
        LinkPageTheme: {
            /**
             * @description Color of buttons and highlights.
             * @example #0b7189
             */
            accentColor: string;
            /** @description Color scheme of the page. */
            appearance: components["schemas"]["Appearance"];
            /**
             * Format: uuid
             * @description Image at the top. Null: the first letter of the title.
             * @example 0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93
             */
            avatarMediaId: string | null;
            /** @description Name of the theme. */
            name: components["schemas"]["ThemeName"];
        };
        LinkPageThemeInput: {
            /**
             * @description Color of buttons and highlights as #rrggbb, with a contrast of at least 3 to the background. Null: the theme's own accent.
             * @example #0b7189
             */
            accentColor?: string | null;
            /** @description Color scheme of the page. Default: AUTO. */
            appearance?: components["schemas"]["AppearanceInput"];
            /**
             * Format: uuid
             * @description Image at the top: an IMAGE or a GIF of the workspace. Null: the first letter of the title.
             * @example 0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93
             */
            avatarMediaId?: string | null;
            /** @description Name of the theme. Default: PAPER. */
            name?: components["schemas"]["ThemeNameInput"];
        };
        LoggedEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Data of the event, as sent to webhooks. The type determines the fields. */
            data: components["schemas"]["LoggedEventData"];
            /**
             * @description ID of the event, the same for every delivery attempt.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            id: string;
            /**
             * @description test in events of a test workspace; absent in others.
             * @example test
             * @enum {string}
             */
            mode?: "test";
            /**
             * Format: int64
             * @description Position of the event in the workspace's log, starting at 1, without gaps, in the order of the list. Assigned moments after the event is created and null until then.
             * @example 1207
             */
            sequence: number | null;
            /**
             * @description Type of the event. Tolerate new types.
             * @example post.published
             */
            type: string;
            /**
             * Format: uuid
             * @description ID of the event's workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            workspaceId: string;
        };
        /** @description Data of an event. The type of the event determines the fields; new ones are added without notice. */
        LoggedEventData: {
            /**
             * Format: uuid
             * @description ID of the post's channel.
             * @example 0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59
             */
            channelId?: string;
            /** @description Type of the post's channel. */
            channelType?: components["schemas"]["ChannelType"];
            /**
             * @description Comment of the approver; null if there is none, and always null in a request for approval.
             * @example Looks good.
             */
            comment?: string | null;
            /**
             * @description Whether the network is known to show the post: false if it reports nothing about it, or its review took longer than 24 hours; null unless the post is PUBLISHED.
             * @example true
             */
            confirmed?: boolean | null;
            /** @description Reason why publishing failed; null unless the post is FAILED. */
            error?: components["schemas"]["PostError"] | null;
            /**
             * @description ID of the post in the client's own system; null if it has none.
             * @example cms-4711
             */
            externalId?: string | null;
            /**
             * Format: uuid
             * @description ID of the set: the posts that were created by one request.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b61
             */
            groupId?: string;
            /**
             * @description Labels of the post.
             * @example [
             *       "Spring"
             *     ]
             */
            labels?: string[];
            /** @description The lead. */
            lead?: components["schemas"]["Lead"];
            /**
             * Format: uuid
             * @description ID of the asset.
             * @example 0190a3c7-2e14-7a5b-9c66-1f2d3e4b5a69
             */
            mediaId?: string;
            /**
             * @description Explanation of the event.
             * @example This is a test event.
             */
            message?: string;
            /**
             * @description Values that the client stored with the post.
             * @example {
             *       "campaign": "spring"
             *     }
             */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Name of the channel.
             * @example Acme News
             */
            name?: string;
            /** @description The part that is not published. */
            part?: components["schemas"]["FailedPart"];
            /**
             * Format: uuid
             * @description ID of the post.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60
             */
            postId?: string;
            /**
             * @description URL of the published post; null if the post is not published or its network provides no URL.
             * @example https://t.me/acme_news/42
             */
            postUrl?: string | null;
            /** @description Previous stage of the lead. */
            previous_stage?: components["schemas"]["LeadStage"];
            /**
             * Format: date-time
             * @description Time at which the post was published; null unless the post is PUBLISHED.
             * @example 2026-03-01T07:00:00.000Z
             */
            publishedAt?: string | null;
            /**
             * Format: date-time
             * @description Time at which the post is to be published; null if it has none.
             * @example 2026-03-01T07:00:00.000Z
             */
            scheduledAt?: string | null;
            /** @description Current stage of the lead, equal to stage of the lead. */
            stage?: components["schemas"]["LeadStage"];
            /** @description State of the post after the event; for a deleted post, its last state. */
            status?: components["schemas"]["PostStatus"];
            /**
             * @description Kind of account or of file.
             * @example IMAGE
             */
            type?: string;
            /**
             * Format: uuid
             * @description ID of the tested webhook.
             * @example 0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71
             */
            webhookId?: string;
        };
        Media: {
            /**
             * @description Alternative text, for people who cannot see the file. A post may replace it by mediaAltTexts.
             * @example Blue tiles on a wall
             */
            altText: string | null;
            /**
             * Format: date-time
             * @description Time at which the upload or import was started.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: uuid
             * @description ID of the asset, for the field mediaIds of posts.
             * @example 0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93
             */
            id: string;
            /**
             * @description Name of the file.
             * @example spring.jpg
             */
            name: string;
            /**
             * Format: int64
             * @description Size of the file, in bytes.
             * @example 184320
             */
            size: number;
            /**
             * Format: uri
             * @description URL of the thumbnail, at most 640 pixels wide or high, valid for 24 hours. Null until the thumbnail exists; stays null if none can be created.
             * @example https://media.example.com/media/9xk?X-Amz-Expires=86400&X-Amz-Signature=77ab
             */
            thumbnailUrl: string | null;
            /**
             * @description Kind of the file, detected from its content.
             * @example IMAGE
             */
            type: components["schemas"]["MediaType"];
            /**
             * Format: uri
             * @description URL of the file, valid for 24 hours. Do not store it; read the asset again for a new URL.
             * @example https://media.example.com/media/3vq?X-Amz-Expires=86400&X-Amz-Signature=5d1f
             */
            url: string;
        };
        MediaError: {
            /**
             * @description Code of the reason.
             * @example MEDIA_DAMAGED
             */
            code: string;
            /**
             * @description Explanation of the reason.
             * @example The file is damaged.
             */
            message: string;
            /**
             * @description Whether the same file can be opened after another upload.
             * @example false
             */
            retryable: boolean;
        };
        MediaEventData: {
            /**
             * Format: uuid
             * @description ID of the asset.
             * @example 0190a3c7-2e14-7a5b-9c66-1f2d3e4b5a69
             */
            mediaId: string;
            /**
             * @description Name of the file.
             * @example spring.mp4
             */
            name: string;
            /** @description Kind of the file. */
            type: components["schemas"]["MediaType"];
        };
        /**
         * A file could not be processed
         * @description Sent when the processing of a file has ended with a problem: it is damaged, or the service cannot open it. `error` contains the reason. A refused upload or import makes no asset and sends no event.
         * @example {
         *       "createdAt": "2026-03-01T07:00:00.000Z",
         *       "data": {
         *         "error": {
         *           "code": "MEDIA_DAMAGED",
         *           "message": "The file is damaged. Save it again with another program.",
         *           "retryable": false
         *         },
         *         "mediaId": "0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93",
         *         "name": "spring.jpg",
         *         "type": "IMAGE"
         *       },
         *       "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
         *       "sequence": 1207,
         *       "type": "media.failed",
         *       "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
         *     }
         */
        MediaFailedEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Data of the event. */
            data: components["schemas"]["MediaFailedEventData"];
            /**
             * @description ID of the event, the same for every attempt. Use it to detect duplicates.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            id: string;
            /**
             * @description test in events of a test workspace; absent in others.
             * @example test
             * @enum {string}
             */
            mode?: "test";
            /**
             * Format: int64
             * @description Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the later one has the higher number.
             * @example 1207
             */
            sequence: number;
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "media.failed";
            /**
             * Format: uuid
             * @description ID of the event's workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            workspaceId: string;
        };
        MediaFailedEventData: {
            /** @description Reason why the file could not be opened. */
            error: components["schemas"]["MediaError"];
            /**
             * Format: uuid
             * @description ID of the asset.
             * @example 0190a3c7-2e14-7a5b-9c66-1f2d3e4b5a69
             */
            mediaId: string;
            /**
             * @description Name of the file.
             * @example spring.mp4
             */
            name: string;
            /** @description Kind of the file. */
            type: components["schemas"]["MediaType"];
        };
        MediaPage: {
            /** @description Assets, newest first. */
            data: components["schemas"]["Media"][];
            /**
             * @description Cursor of the next page; null on the last page.
             * @example AQGQo8YsE356m1VqLj1MW2BvQ2k3c1R5bWx3aGVyZQ
             */
            nextCursor: string | null;
        };
        /**
         * A file was processed
         * @description Sent when the processing of an uploaded or imported file has ended: its thumbnail and its dimensions are known.
         * @example {
         *       "createdAt": "2026-03-01T07:00:00.000Z",
         *       "data": {
         *         "mediaId": "0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93",
         *         "name": "spring.jpg",
         *         "type": "IMAGE"
         *       },
         *       "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
         *       "sequence": 1207,
         *       "type": "media.ready",
         *       "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
         *     }
         */
        MediaReadyEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Data of the event. */
            data: components["schemas"]["MediaEventData"];
            /**
             * @description ID of the event, the same for every attempt. Use it to detect duplicates.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            id: string;
            /**
             * @description test in events of a test workspace; absent in others.
             * @example test
             * @enum {string}
             */
            mode?: "test";
            /**
             * Format: int64
             * @description Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the later one has the higher number.
             * @example 1207
             */
            sequence: number;
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "media.ready";
            /**
             * Format: uuid
             * @description ID of the event's workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            workspaceId: string;
        };
        /**
         * @description Kind of a file. One of IMAGE, VIDEO, GIF, DOCUMENT. Tolerate new values.
         * @example IMAGE
         */
        MediaType: "IMAGE" | "VIDEO" | "GIF" | "DOCUMENT" | (string & {});
        /**
         * @description Kind of a file. Tolerate new values.
         * @example IMAGE
         * @enum {string}
         */
        MediaTypeInput: "IMAGE" | "VIDEO" | "GIF" | "DOCUMENT";
        MediaUpload: {
            /**
             * Format: int64
             * @description Validity of uploadUrl, in seconds.
             * @example 3600
             */
            expiresInSeconds: number;
            /**
             * @description Headers to send with the bytes, unchanged.
             * @example {
             *       "Content-Type": "image/jpeg"
             *     }
             */
            headers: {
                [key: string]: string;
            };
            /**
             * Format: uuid
             * @description ID of the future asset. Use it to complete the upload.
             * @example 0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93
             */
            mediaId: string;
            /**
             * @description HTTP method of the upload.
             * @example PUT
             * @enum {string}
             */
            method: "PUT";
            /** @description Parts of a file above 64 MiB. Send the whole file to uploadUrl, or each part to its own URL in any order, with the same method and headers. A part that failed is sent again alone. Absent for smaller files. */
            parts?: components["schemas"]["UploadPart"][];
            /**
             * Format: uri
             * @description URL that receives the bytes, valid for one file of the declared type and size.
             * @example https://media.example.com/uploads/7mz?X-Amz-Expires=3600&X-Amz-Signature=c0de
             */
            uploadUrl: string;
        };
        /** @description A block of the type NOTICE_BAR. */
        NoticeBarBlock: {
            /**
             * Format: uuid
             * @description Id of the block. It stays the same when the page is published.
             * @example 0190a3d2-e8df-7c46-97d0-36c40f68e72c
             */
            id: string;
            /**
             * @description Whether the block is shown.
             * @example true
             */
            isVisible: boolean;
            /** @description Content of the block. Its fields depend on the type. */
            settings: components["schemas"]["NoticeBarBlockSettings"];
            /**
             * Format: date-time
             * @description Start of the display period. Null: no start.
             * @example 2026-03-01T07:00:00.000Z
             */
            showFrom: string | null;
            /**
             * Format: date-time
             * @description End of the display period. Null: no end.
             * @example 2026-03-01T07:00:00.000Z
             */
            showUntil: string | null;
            /**
             * @description Type of the block. It never changes. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "NOTICE_BAR";
        };
        NoticeBarBlockSettings: {
            /**
             * @description Text of the button. Requires url.
             * @example Hours
             */
            buttonLabel: string | null;
            /**
             * @description The notice, on one line.
             * @example Closed until Monday
             */
            text: string;
            /** @description Kind of the notice. */
            tone: components["schemas"]["NoticeBarBlockSettingsTone"];
            /**
             * Format: uri
             * @description A URL with https, mailto or tel.
             * @example https://example.com/hours
             */
            url: string | null;
        };
        NoticeBarBlockSettingsInput: {
            /**
             * @description Text of the button. Requires url.
             * @example Hours
             */
            buttonLabel?: string | null;
            /**
             * @description The notice, on one line.
             * @example Closed until Monday
             */
            text: string;
            /** @description Kind of the notice. Default: `INFO`. */
            tone?: components["schemas"]["NoticeBarBlockSettingsToneInput"];
            /**
             * Format: uri
             * @description A URL with https, mailto or tel.
             * @example https://example.com/hours
             */
            url?: string | null;
        };
        /**
         * @description Kind of the notice. One of INFO, SUCCESS, WARNING. Tolerate new values.
         * @example WARNING
         */
        NoticeBarBlockSettingsTone: "INFO" | "SUCCESS" | "WARNING" | (string & {});
        /**
         * @description Kind of the notice.
         * @example WARNING
         * @enum {string}
         */
        NoticeBarBlockSettingsToneInput: "INFO" | "SUCCESS" | "WARNING";
        NullableComment: {
            /**
             * @description Text of the comment; empty: none.
             * @example The recipe: https://acme.com/glaze
             */
            content?: string;
            /**
             * Format: int64
             * @description Seconds after the last part of the post.
             * @example 60
             */
            delaySeconds?: number;
        } | null;
        NullablePost: {
            /** @description The last approval; null if approval was never requested. */
            approval: components["schemas"]["Approval"] | null;
            /**
             * Format: uuid
             * @description Campaign of the post; null if it belongs to none.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b65
             */
            campaignId: string | null;
            /**
             * Format: uuid
             * @description ID of the post's channel. A post belongs to exactly one channel.
             * @example 0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59
             */
            channelId: string;
            /**
             * @description Whether the network is known to show the post. False if the network reports nothing about it, or if its review took longer than 24 hours. Null unless the post is PUBLISHED.
             * @example true
             */
            confirmed: boolean | null;
            /**
             * @description Text of the post.
             * @example Our spring collection is here.
             */
            content: string;
            /**
             * @description Kind of content.
             * @example POST
             */
            contentType: components["schemas"]["ContentType"];
            /**
             * Format: date-time
             * @description Time at which the post was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Reason why publishing failed; null unless the post is FAILED. */
            error: components["schemas"]["PostError"] | null;
            /**
             * @description ID of the post in the client's own system.
             * @example cms-4711
             */
            externalId: string | null;
            /** @description The first comment; null if there is none. */
            firstComment: components["schemas"]["NullableComment"] | null;
            /**
             * Format: uuid
             * @description ID of the set: the posts that were created by one request. A post that was created alone is a set of its own.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b61
             */
            groupId: string;
            /**
             * Format: uuid
             * @description ID of the post.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60
             */
            id: string;
            /**
             * @description Labels of the post, in the spelling of the workspace.
             * @example [
             *       "Spring"
             *     ]
             */
            labels: string[];
            /**
             * @description Alternative texts of this post, by ID of the attachment. Each replaces the altText of the asset.
             * @example {
             *       "0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93": "Blue tiles on a wall"
             *     }
             */
            mediaAltTexts: {
                [key: string]: string;
            };
            /** @description IDs of media in display order. */
            mediaIds: string[];
            /**
             * @description Values that the client stored with the post.
             * @example {
             *       "campaign": "spring"
             *     }
             */
            metadata: {
                [key: string]: string;
            };
            /** @description Settings of the platform; an empty object if none were sent. Null for posts created by the generic endpoint. */
            options: components["schemas"]["NullablePostOptions"] | null;
            /** @description What became of each part, the post itself first; empty for a post without parts. */
            parts: components["schemas"]["PartState"][];
            /**
             * @description PENDING until the post itself is published, then IN_PROGRESS, COMPLETE, or INCOMPLETE: a part failed, see continue-parts. Null without parts. One of PENDING, IN_PROGRESS, COMPLETE, INCOMPLETE. Tolerate new values.
             * @example PENDING
             */
            partsState: string | null;
            /**
             * Format: uri
             * @description URL of the published post.
             * @example https://t.me/acme_news/42
             */
            postUrl: string | null;
            /** @description Another post that must be published first; null if the post waits for none. */
            publishAfter: components["schemas"]["Predecessor"] | null;
            /**
             * Format: date-time
             * @description Time at which the post was published.
             * @example 2026-03-01T07:00:00.000Z
             */
            publishedAt: string | null;
            /**
             * Format: date-time
             * @description Time at which the post is to be published.
             * @example 2026-03-01T07:00:00.000Z
             */
            scheduledAt: string | null;
            /**
             * @description State of the post. A post queued for immediate publishing is SCHEDULED until it is published.
             * @example SCHEDULED
             */
            status: components["schemas"]["PostStatus"];
            /** @description The parts of a thread after the first, which is content and mediaIds. */
            thread: components["schemas"]["Part"][];
            /**
             * @description Title, for video-style content.
             * @example Spring collection
             */
            title: string | null;
            /**
             * Format: date-time
             * @description Time of the last change of the post.
             * @example 2026-03-01T07:00:00.000Z
             */
            updatedAt: string;
            /** @description Reason why a SCHEDULED post is not published yet; null in other states. */
            waiting: components["schemas"]["Waiting"] | null;
        } | null;
        NullablePostDay: {
            /**
             * Format: int64
             * @description Number of clicks.
             * @example 21
             */
            clicks: number | null;
            /**
             * Format: int64
             * @description Number of comments.
             * @example 7
             */
            comments: number | null;
            /**
             * Format: date
             * @description Day of the snapshot, in the time zone of the workspace.
             * @example 2026-03-01
             */
            date: string;
            /**
             * Format: int64
             * @description Number of times that the post was shown since its publication.
             * @example 1400
             */
            impressions: number | null;
            /**
             * Format: int64
             * @description Number of likes.
             * @example 60
             */
            likes: number | null;
            /**
             * Format: int64
             * @description Number of people who saw the post.
             * @example 1100
             */
            reach: number | null;
            /**
             * Format: int64
             * @description Number of saves.
             * @example 9
             */
            saves: number | null;
            /**
             * Format: int64
             * @description Number of shares.
             * @example 4
             */
            shares: number | null;
            /**
             * Format: int64
             * @description Number of views of the post's video.
             * @example 800
             */
            videoViews: number | null;
        } | null;
        NullablePostOptions: {
            /**
             * @description Google Business: URL of the button.
             * @example https://example.com/tiles
             */
            actionUrl?: string;
            /**
             * @description Instagram, X, TikTok and YouTube: whether the post is labelled as AI-generated.
             * @example true
             */
            aiGenerated?: boolean;
            /**
             * @description TikTok: whether others may comment, by default as the account has it.
             * @example true
             */
            allowComments?: boolean;
            /**
             * @description TikTok: whether others may make duets with the video.
             * @example true
             */
            allowDuet?: boolean;
            /**
             * @description YouTube: whether other sites may embed the video.
             * @example true
             */
            allowEmbedding?: boolean;
            /**
             * @description TikTok: whether others may stitch the video into theirs.
             * @example true
             */
            allowStitch?: boolean;
            /**
             * @description Pinterest: alternative text of the image.
             * @example Blue tiles
             */
            altText?: string;
            /**
             * @description Pinterest: the board to pin to.
             * @example 549755885175
             */
            boardId?: string;
            /**
             * @description Pinterest: the section of the board to pin to.
             * @example 549755885175
             */
            boardSectionId?: string;
            /**
             * @description X: whether the post is labelled as a paid partnership. TikTok: discloses a paid partnership.
             * @example true
             */
            brandContent?: boolean;
            /**
             * @description TikTok: discloses that the account promotes its own business.
             * @example true
             */
            brandOrganic?: boolean;
            /**
             * @description Google Business: kind of the button: BOOK, ORDER, SHOP, LEARN_MORE, SIGN_UP or CALL.
             * @example BOOK
             */
            callToAction?: string;
            /**
             * @description YouTube: the number of YouTube's category, such as 22.
             * @example 22
             */
            category?: string;
            /**
             * @description Instagram: user names of accounts that are invited as authors.
             * @example [
             *       "Blue",
             *       "Green"
             *     ]
             */
            collaborators?: string[];
            /**
             * @description Bluesky: label of the attachments, by which readers hide them: sexual, nudity, porn or graphic-media.
             * @example sexual
             */
            contentLabel?: string;
            /**
             * @description Mastodon: warning that is shown instead of the post until a reader opens it, and counts as its text.
             * @example Blue tiles
             */
            contentWarning?: string;
            /**
             * @description Google Business: code of the offer.
             * @example Blue tiles
             */
            couponCode?: string;
            /**
             * @description Instagram: URL of a reel's cover.
             * @example https://example.com/tiles
             */
            coverUrl?: string;
            /**
             * @description Google Business: end, like eventStart.
             * @example 2026-03-01T09:00
             */
            eventEnd?: string;
            /**
             * @description Google Business: start, as a date or as a date and a time of the location.
             * @example 2026-03-01T09:00
             */
            eventStart?: string;
            /**
             * @description Google Business: title of an event or offer.
             * @example Blue tiles
             */
            eventTitle?: string;
            /**
             * @description Bluesky and Mastodon: language of the text, as a tag like en or pt-BR.
             * @example en
             */
            language?: string;
            /**
             * @description YouTube: the licence of the video: youtube or creativeCommon.
             * @example youtube
             */
            license?: string;
            /**
             * @description Facebook and Threads: URL of the card. LinkedIn: publishes the post as the card of this link, with the post's title and its image as the thumbnail. Pinterest: target URL of the pin.
             * @example https://example.com/tiles
             */
            link?: string;
            /**
             * @description Telegram: where the message shows the page of its first link: below, above or none.
             * @example below
             */
            linkPreview?: string;
            /**
             * @description Instagram: id of the Facebook Page of the place.
             * @example 549755885175
             */
            locationId?: string;
            /**
             * @description X: publishes a text of up to 25,000 characters, for accounts with X Premium. Threads: a text of more than 500 characters is attached, and the post shows its beginning. Telegram: publishes a text of up to 32,768 characters as a rich message.
             * @example true
             */
            longText?: boolean;
            /**
             * @description YouTube: whether the video is made for children.
             * @example true
             */
            madeForKids?: boolean;
            /**
             * @description YouTube: whether subscribers are notified.
             * @example true
             */
            notifySubscribers?: boolean;
            /**
             * Format: int64
             * @description X and Mastodon: minutes for which the poll is open, by default a day. LinkedIn: minutes for which the poll is open, by default a day: 1440, 4320, 10080 or 20160.
             * @example 5
             */
            pollMinutes?: number;
            /**
             * @description Telegram and Mastodon: whether a reader may choose several answers.
             * @example true
             */
            pollMultiple?: boolean;
            /**
             * @description X, LinkedIn, Threads, Telegram and Mastodon: answers of a poll below the text.
             * @example [
             *       "Blue",
             *       "Green"
             *     ]
             */
            pollOptions?: string[];
            /**
             * @description LinkedIn: question of the poll, which it requires.
             * @example Blue tiles
             */
            pollQuestion?: string;
            /**
             * @description TikTok: who may watch: a level that the creator's information lists: PUBLIC_TO_EVERYONE, MUTUAL_FOLLOW_FRIENDS, FOLLOWER_OF_CREATOR or SELF_ONLY.
             * @example PUBLIC_TO_EVERYONE
             */
            privacy?: string;
            /**
             * @description Telegram: whether Telegram prevents forwarding and saving the post.
             * @example true
             */
            protected?: boolean;
            /**
             * @description X and Bluesky: address of the post to quote.
             * @example https://example.com/tiles
             */
            quote?: string;
            /**
             * @description Google Business: URL at which the offer is redeemed.
             * @example https://example.com/tiles
             */
            redeemUrl?: string;
            /**
             * @description X: who may reply: everyone, following, mentioned, subscribers or verified. Threads: who may reply: everyone, following, followers or mentioned. Bluesky: who may reply: everyone, following, followers, mentioned or none.
             * @example everyone
             */
            replies?: string;
            /**
             * @description Threads, Telegram and Mastodon: whether the attachments are hidden until a reader opens them.
             * @example true
             */
            sensitive?: boolean;
            /**
             * @description Instagram: whether a reel is also shown in the feed.
             * @example true
             */
            shareToFeed?: boolean;
            /**
             * @description Telegram: whether subscribers are notified without a sound.
             * @example true
             */
            silent?: boolean;
            /**
             * @description YouTube: tags of the video.
             * @example [
             *       "Blue",
             *       "Green"
             *     ]
             */
            tags?: string[];
            /**
             * @description Google Business: terms of the offer.
             * @example Blue tiles
             */
            terms?: string;
            /**
             * Format: int64
             * @description Instagram, TikTok and Pinterest: the frame that is the cover.
             * @example 1500
             */
            thumbOffset?: number;
            /**
             * @description Threads: topic of the post, without #.
             * @example Blue tiles
             */
            topicTag?: string;
            /**
             * @description Google Business: kind of post: STANDARD, EVENT or OFFER.
             * @example STANDARD
             */
            topicType?: string;
            /**
             * @description Instagram: shows a reel to people who do not follow first, and to followers by hand or when it does well: manual or automatic.
             * @example manual
             */
            trialReel?: string;
            /**
             * @description TikTok: sends a draft to the creator's inbox instead of publishing.
             * @example true
             */
            uploadToDraft?: boolean;
            /**
             * @description Instagram: user names of accounts that are tagged in the first file.
             * @example [
             *       "Blue",
             *       "Green"
             *     ]
             */
            userTags?: string[];
            /**
             * @description YouTube: a regular video or a Short: video or short.
             * @example video
             */
            videoType?: string;
            /**
             * @description LinkedIn: visibility of the post: everyone, or the member's connections: PUBLIC or CONNECTIONS. YouTube: visibility of the video: public, unlisted or private. Mastodon: visibility of the post: everyone, everyone but not in public lists, or followers: public, unlisted or private.
             * @example PUBLIC
             */
            visibility?: string;
        } | null;
        NullableProblem: {
            /**
             * @description Code of the problem. Treat unknown codes by their status.
             * @example VALIDATION_FAILED
             */
            code: components["schemas"]["ProblemCode"];
            /**
             * @description INVALID_STATE: the current status of the resource.
             * @example PUBLISHED
             */
            currentStatus?: string;
            /**
             * @description Explanation of this occurrence. Do not parse it.
             * @example /channelIds/0 must be a UUID
             */
            detail: string;
            /** @description VALIDATION_FAILED: every fault of the request. */
            errors?: components["schemas"]["Fault"][];
            /**
             * @description Path of the request.
             * @example /v1/posts
             */
            instance: string;
            /**
             * @description EXTERNAL_ID_IN_USE: ID of the post that has the external ID.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60
             */
            postId?: string;
            /** @description MEDIA_IN_USE: the uses of the asset. */
            references?: components["schemas"]["Reference"][];
            /**
             * @description X-Request-Id of the response, for support.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            requestId: string;
            /**
             * Format: int64
             * @description HTTP status of the response.
             * @example 422
             */
            status: number;
            /**
             * @description Short name of the problem, the same for every occurrence.
             * @example Validation failed
             */
            title: string;
            /**
             * Format: uri
             * @description URL of a page that explains the code.
             * @example https://api.example.com/problems/validation-failed
             */
            type: string;
        } | null;
        /**
         * @description What happens to a post if the post before it is not published. One of hold, cancel, publish. Tolerate new values.
         * @example hold
         */
        OnFailure: "hold" | "cancel" | "publish" | (string & {});
        /**
         * @description What happens to a post if the post before it is not published.
         * @example hold
         * @enum {string}
         */
        OnFailureInput: "hold" | "cancel" | "publish";
        OrderLinkBlocksRequest: {
            /**
             * @description Every block of the draft, each once, in display order.
             * @example [
             *       "0190a3d2-e8df-7c46-97d0-36c40f68e72c"
             *     ]
             */
            blockIds: string[];
        };
        PageDay: {
            /**
             * Format: int64
             * @description Number of clicks on blocks.
             * @example 12
             */
            clicks: number;
            /**
             * Format: date
             * @description The day, in UTC.
             * @example 2026-03-01
             */
            date: string;
            /**
             * Format: int64
             * @description Number of unique visitors.
             * @example 33
             */
            uniqueVisitors: number;
            /**
             * Format: int64
             * @description Number of page views.
             * @example 41
             */
            views: number;
        };
        Part: {
            /**
             * @description Text of the part; may be empty beside media.
             * @example Every bowl is thrown by hand.
             */
            content: string;
            /**
             * @description Alternative texts of the part, by ID of the attachment.
             * @example {
             *       "0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93": "Blue tiles on a wall"
             *     }
             */
            mediaAltTexts?: {
                [key: string]: string;
            };
            /** @description IDs of the media of the part, in display order. */
            mediaIds?: string[];
        };
        PartEventData: {
            /**
             * Format: uuid
             * @description ID of the post's channel.
             * @example 0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59
             */
            channelId: string;
            /** @description Type of the post's channel. */
            channelType: components["schemas"]["ChannelType"];
            /**
             * @description Whether the network is known to show the post: false if it reports nothing about it, or its review took longer than 24 hours; null unless the post is PUBLISHED.
             * @example true
             */
            confirmed: boolean | null;
            /** @description Reason why publishing failed; null unless the post is FAILED. */
            error: components["schemas"]["PostError"] | null;
            /**
             * @description ID of the post in the client's own system; null if it has none.
             * @example cms-4711
             */
            externalId: string | null;
            /**
             * Format: uuid
             * @description ID of the set: the posts that were created by one request.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b61
             */
            groupId: string;
            /**
             * @description Labels of the post.
             * @example [
             *       "Spring"
             *     ]
             */
            labels: string[];
            /**
             * @description Values that the client stored with the post.
             * @example {
             *       "campaign": "spring"
             *     }
             */
            metadata: {
                [key: string]: string;
            };
            /** @description The part that is not published. */
            part: components["schemas"]["FailedPart"];
            /**
             * Format: uuid
             * @description ID of the post.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60
             */
            postId: string;
            /**
             * @description URL of the published post; null if the post is not published or its network provides no URL.
             * @example https://t.me/acme_news/42
             */
            postUrl: string | null;
            /**
             * Format: date-time
             * @description Time at which the post was published; null unless the post is PUBLISHED.
             * @example 2026-03-01T07:00:00.000Z
             */
            publishedAt: string | null;
            /**
             * Format: date-time
             * @description Time at which the post is to be published; null if it has none.
             * @example 2026-03-01T07:00:00.000Z
             */
            scheduledAt: string | null;
            /** @description State of the post after the event; for a deleted post, its last state. */
            status: components["schemas"]["PostStatus"];
        };
        /**
         * @description Kind of a part of a post. One of ROOT, REPLY, COMMENT. Tolerate new values.
         * @example ROOT
         */
        PartKind: "ROOT" | "REPLY" | "COMMENT" | (string & {});
        PartState: {
            /** @description Reason why the part is not published; null unless it is FAILED or UNKNOWN. */
            error: components["schemas"]["PostError"] | null;
            /**
             * Format: int64
             * @description Position of the part, from 0, the post itself.
             * @example 1
             */
            index: number;
            /**
             * @description ROOT is the post itself, REPLY a part of a thread, COMMENT the first comment.
             * @example REPLY
             */
            kind: components["schemas"]["PartKind"];
            /**
             * @description UNKNOWN: the network may have the part, and does not say.
             * @example PUBLISHED
             */
            status: components["schemas"]["PartStatus"];
            /**
             * Format: uri
             * @description URL of the part.
             * @example https://x.com/acme/status/1789
             */
            url: string | null;
        };
        /**
         * @description State of a part of a post. One of PENDING, PUBLISHED, FAILED, UNKNOWN. Tolerate new values.
         * @example PENDING
         */
        PartStatus: "PENDING" | "PUBLISHED" | "FAILED" | "UNKNOWN" | (string & {});
        PinterestBoard: {
            /**
             * @description ID of the board, for the field boardId of a pin.
             * @example 549755885175
             */
            id: string;
            /**
             * @description Name of the board.
             * @example Tiles
             */
            name: string;
            /**
             * Format: int64
             * @description Number of pins on the board.
             * @example 42
             */
            pinCount: number;
            /**
             * @description Visibility of the board on Pinterest: PUBLIC, PROTECTED or SECRET. Tolerate new values.
             * @example PUBLIC
             */
            privacy: string;
        };
        /**
         * @description Plan of a workspace. One of FREE, CREATOR, GROWTH, AGENCY. Tolerate new values.
         * @example FREE
         */
        Plan: "FREE" | "CREATOR" | "GROWTH" | "AGENCY" | (string & {});
        Post: {
            /** @description The last approval; null if approval was never requested. */
            approval: components["schemas"]["Approval"] | null;
            /**
             * Format: uuid
             * @description Campaign of the post; null if it belongs to none.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b65
             */
            campaignId: string | null;
            /**
             * Format: uuid
             * @description ID of the post's channel. A post belongs to exactly one channel.
             * @example 0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59
             */
            channelId: string;
            /**
             * @description Whether the network is known to show the post. False if the network reports nothing about it, or if its review took longer than 24 hours. Null unless the post is PUBLISHED.
             * @example true
             */
            confirmed: boolean | null;
            /**
             * @description Text of the post.
             * @example Our spring collection is here.
             */
            content: string;
            /**
             * @description Kind of content.
             * @example POST
             */
            contentType: components["schemas"]["ContentType"];
            /**
             * Format: date-time
             * @description Time at which the post was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Reason why publishing failed; null unless the post is FAILED. */
            error: components["schemas"]["PostError"] | null;
            /**
             * @description ID of the post in the client's own system.
             * @example cms-4711
             */
            externalId: string | null;
            /** @description The first comment; null if there is none. */
            firstComment: components["schemas"]["NullableComment"] | null;
            /**
             * Format: uuid
             * @description ID of the set: the posts that were created by one request. A post that was created alone is a set of its own.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b61
             */
            groupId: string;
            /**
             * Format: uuid
             * @description ID of the post.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60
             */
            id: string;
            /**
             * @description Labels of the post, in the spelling of the workspace.
             * @example [
             *       "Spring"
             *     ]
             */
            labels: string[];
            /**
             * @description Alternative texts of this post, by ID of the attachment. Each replaces the altText of the asset.
             * @example {
             *       "0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93": "Blue tiles on a wall"
             *     }
             */
            mediaAltTexts: {
                [key: string]: string;
            };
            /** @description IDs of media in display order. */
            mediaIds: string[];
            /**
             * @description Values that the client stored with the post.
             * @example {
             *       "campaign": "spring"
             *     }
             */
            metadata: {
                [key: string]: string;
            };
            /** @description Settings of the platform; an empty object if none were sent. Null for posts created by the generic endpoint. */
            options: components["schemas"]["NullablePostOptions"] | null;
            /** @description What became of each part, the post itself first; empty for a post without parts. */
            parts: components["schemas"]["PartState"][];
            /**
             * @description PENDING until the post itself is published, then IN_PROGRESS, COMPLETE, or INCOMPLETE: a part failed, see continue-parts. Null without parts. One of PENDING, IN_PROGRESS, COMPLETE, INCOMPLETE. Tolerate new values.
             * @example PENDING
             */
            partsState: string | null;
            /**
             * Format: uri
             * @description URL of the published post.
             * @example https://t.me/acme_news/42
             */
            postUrl: string | null;
            /** @description Another post that must be published first; null if the post waits for none. */
            publishAfter: components["schemas"]["Predecessor"] | null;
            /**
             * Format: date-time
             * @description Time at which the post was published.
             * @example 2026-03-01T07:00:00.000Z
             */
            publishedAt: string | null;
            /**
             * Format: date-time
             * @description Time at which the post is to be published.
             * @example 2026-03-01T07:00:00.000Z
             */
            scheduledAt: string | null;
            /**
             * @description State of the post. A post queued for immediate publishing is SCHEDULED until it is published.
             * @example SCHEDULED
             */
            status: components["schemas"]["PostStatus"];
            /** @description The parts of a thread after the first, which is content and mediaIds. */
            thread: components["schemas"]["Part"][];
            /**
             * @description Title, for video-style content.
             * @example Spring collection
             */
            title: string | null;
            /**
             * Format: date-time
             * @description Time of the last change of the post.
             * @example 2026-03-01T07:00:00.000Z
             */
            updatedAt: string;
            /** @description Reason why a SCHEDULED post is not published yet; null in other states. */
            waiting: components["schemas"]["Waiting"] | null;
        };
        PostAnalytics: {
            /** @description Snapshots, oldest first. */
            data: components["schemas"]["PostDay"][];
            /** @description The latest snapshot; null if there is none. */
            latest: components["schemas"]["NullablePostDay"] | null;
            /**
             * Format: uuid
             * @description ID of the post.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60
             */
            postId: string;
        };
        /**
         * A post was sent for approval
         * @description Sent when a post waits for approval: requested, changed after its approval, approved by one of two people, or held by a stricter policy.
         * @example {
         *       "createdAt": "2026-03-01T07:00:00.000Z",
         *       "data": {
         *         "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
         *         "channelType": "TELEGRAM_CHANNEL",
         *         "comment": null,
         *         "confirmed": null,
         *         "error": null,
         *         "externalId": null,
         *         "groupId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "labels": [],
         *         "metadata": {},
         *         "postId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "postUrl": null,
         *         "publishedAt": null,
         *         "scheduledAt": null,
         *         "status": "PENDING_APPROVAL"
         *       },
         *       "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
         *       "sequence": 1207,
         *       "type": "post.approval_requested",
         *       "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
         *     }
         */
        PostApprovalRequestedEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Data of the event. */
            data: components["schemas"]["ApprovalEventData"];
            /**
             * @description ID of the event, the same for every attempt. Use it to detect duplicates.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            id: string;
            /**
             * @description test in events of a test workspace; absent in others.
             * @example test
             * @enum {string}
             */
            mode?: "test";
            /**
             * Format: int64
             * @description Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the later one has the higher number.
             * @example 1207
             */
            sequence: number;
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "post.approval_requested";
            /**
             * Format: uuid
             * @description ID of the event's workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            workspaceId: string;
        };
        /**
         * A post was approved
         * @description Sent when an approver accepts a pending post. `status` is SCHEDULED if the post's time is in the future, otherwise DRAFT.
         * @example {
         *       "createdAt": "2026-03-01T07:00:00.000Z",
         *       "data": {
         *         "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
         *         "channelType": "TELEGRAM_CHANNEL",
         *         "comment": "Looks good.",
         *         "confirmed": null,
         *         "error": null,
         *         "externalId": null,
         *         "groupId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "labels": [],
         *         "metadata": {},
         *         "postId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "postUrl": null,
         *         "publishedAt": null,
         *         "scheduledAt": "2026-03-01T07:00:00.000Z",
         *         "status": "SCHEDULED"
         *       },
         *       "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
         *       "sequence": 1207,
         *       "type": "post.approved",
         *       "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
         *     }
         */
        PostApprovedEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Data of the event. */
            data: components["schemas"]["ApprovalEventData"];
            /**
             * @description ID of the event, the same for every attempt. Use it to detect duplicates.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            id: string;
            /**
             * @description test in events of a test workspace; absent in others.
             * @example test
             * @enum {string}
             */
            mode?: "test";
            /**
             * Format: int64
             * @description Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the later one has the higher number.
             * @example 1207
             */
            sequence: number;
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "post.approved";
            /**
             * Format: uuid
             * @description ID of the event's workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            workspaceId: string;
        };
        /** @description A block of the type POST_CARD. */
        PostCardBlock: {
            /**
             * Format: uuid
             * @description Id of the block. It stays the same when the page is published.
             * @example 0190a3d2-e8df-7c46-97d0-36c40f68e72c
             */
            id: string;
            /**
             * @description Whether the block is shown.
             * @example true
             */
            isVisible: boolean;
            /** @description Content of the block. Its fields depend on the type. */
            settings: components["schemas"]["PostCardBlockSettings"];
            /**
             * Format: date-time
             * @description Start of the display period. Null: no start.
             * @example 2026-03-01T07:00:00.000Z
             */
            showFrom: string | null;
            /**
             * Format: date-time
             * @description End of the display period. Null: no end.
             * @example 2026-03-01T07:00:00.000Z
             */
            showUntil: string | null;
            /**
             * @description Type of the block. It never changes. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "POST_CARD";
        };
        PostCardBlockSettings: {
            /**
             * @description A line below the post.
             * @example From the kiln
             */
            caption: string | null;
            /**
             * Format: uuid
             * @description Post of the workspace. It is shown once it is published.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60
             */
            postId: string;
        };
        PostCardBlockSettingsInput: {
            /**
             * @description A line below the post.
             * @example From the kiln
             */
            caption?: string | null;
            /**
             * Format: uuid
             * @description Post of the workspace. It is shown once it is published.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60
             */
            postId: string;
        };
        /**
         * A person commented on a post
         * @description Sent when a person comments on a post. The comment is in the timeline of the post.
         * @example {
         *       "createdAt": "2026-03-01T07:00:00.000Z",
         *       "data": {
         *         "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
         *         "channelType": "TELEGRAM_CHANNEL",
         *         "confirmed": null,
         *         "error": null,
         *         "externalId": null,
         *         "groupId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "labels": [],
         *         "metadata": {},
         *         "postId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "postUrl": null,
         *         "publishedAt": null,
         *         "scheduledAt": null,
         *         "status": "PENDING_APPROVAL"
         *       },
         *       "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
         *       "sequence": 1207,
         *       "type": "post.commented",
         *       "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
         *     }
         */
        PostCommentedEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Data of the event. */
            data: components["schemas"]["PostEventData"];
            /**
             * @description ID of the event, the same for every attempt. Use it to detect duplicates.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            id: string;
            /**
             * @description test in events of a test workspace; absent in others.
             * @example test
             * @enum {string}
             */
            mode?: "test";
            /**
             * Format: int64
             * @description Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the later one has the higher number.
             * @example 1207
             */
            sequence: number;
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "post.commented";
            /**
             * Format: uuid
             * @description ID of the event's workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            workspaceId: string;
        };
        /**
         * All parts of a post are published
         * @description Sent when the last part of a post with a thread or a first comment is published, and when a client gives up the rest.
         * @example {
         *       "createdAt": "2026-03-01T07:00:00.000Z",
         *       "data": {
         *         "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
         *         "channelType": "TELEGRAM_CHANNEL",
         *         "confirmed": null,
         *         "error": null,
         *         "externalId": null,
         *         "groupId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "labels": [],
         *         "metadata": {},
         *         "postId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "postUrl": "https://t.me/acme_news/42",
         *         "publishedAt": "2026-03-01T07:00:00.000Z",
         *         "scheduledAt": "2026-03-01T07:00:00.000Z",
         *         "status": "PUBLISHED"
         *       },
         *       "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
         *       "sequence": 1207,
         *       "type": "post.completed",
         *       "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
         *     }
         */
        PostCompletedEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Data of the event. */
            data: components["schemas"]["PostEventData"];
            /**
             * @description ID of the event, the same for every attempt. Use it to detect duplicates.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            id: string;
            /**
             * @description test in events of a test workspace; absent in others.
             * @example test
             * @enum {string}
             */
            mode?: "test";
            /**
             * Format: int64
             * @description Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the later one has the higher number.
             * @example 1207
             */
            sequence: number;
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "post.completed";
            /**
             * Format: uuid
             * @description ID of the event's workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            workspaceId: string;
        };
        /**
         * A post was created
         * @description Sent when a post is created by any operation, as a draft or for publishing. A request for several channels creates one post, and one event, per channel.
         * @example {
         *       "createdAt": "2026-03-01T07:00:00.000Z",
         *       "data": {
         *         "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
         *         "channelType": "TELEGRAM_CHANNEL",
         *         "confirmed": null,
         *         "error": null,
         *         "externalId": null,
         *         "groupId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "labels": [],
         *         "metadata": {},
         *         "postId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "postUrl": null,
         *         "publishedAt": null,
         *         "scheduledAt": null,
         *         "status": "DRAFT"
         *       },
         *       "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
         *       "sequence": 1207,
         *       "type": "post.created",
         *       "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
         *     }
         */
        PostCreatedEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Data of the event. */
            data: components["schemas"]["PostEventData"];
            /**
             * @description ID of the event, the same for every attempt. Use it to detect duplicates.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            id: string;
            /**
             * @description test in events of a test workspace; absent in others.
             * @example test
             * @enum {string}
             */
            mode?: "test";
            /**
             * Format: int64
             * @description Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the later one has the higher number.
             * @example 1207
             */
            sequence: number;
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "post.created";
            /**
             * Format: uuid
             * @description ID of the event's workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            workspaceId: string;
        };
        PostDay: {
            /**
             * Format: int64
             * @description Number of clicks.
             * @example 21
             */
            clicks: number | null;
            /**
             * Format: int64
             * @description Number of comments.
             * @example 7
             */
            comments: number | null;
            /**
             * Format: date
             * @description Day of the snapshot, in the time zone of the workspace.
             * @example 2026-03-01
             */
            date: string;
            /**
             * Format: int64
             * @description Number of times that the post was shown since its publication.
             * @example 1400
             */
            impressions: number | null;
            /**
             * Format: int64
             * @description Number of likes.
             * @example 60
             */
            likes: number | null;
            /**
             * Format: int64
             * @description Number of people who saw the post.
             * @example 1100
             */
            reach: number | null;
            /**
             * Format: int64
             * @description Number of saves.
             * @example 9
             */
            saves: number | null;
            /**
             * Format: int64
             * @description Number of shares.
             * @example 4
             */
            shares: number | null;
            /**
             * Format: int64
             * @description Number of views of the post's video.
             * @example 800
             */
            videoViews: number | null;
        };
        /**
         * A post was deleted
         * @description Sent when a post is deleted. `status` is the state before the deletion.
         * @example {
         *       "createdAt": "2026-03-01T07:00:00.000Z",
         *       "data": {
         *         "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
         *         "channelType": "TELEGRAM_CHANNEL",
         *         "confirmed": null,
         *         "error": null,
         *         "externalId": null,
         *         "groupId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "labels": [],
         *         "metadata": {},
         *         "postId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "postUrl": null,
         *         "publishedAt": null,
         *         "scheduledAt": null,
         *         "status": "DRAFT"
         *       },
         *       "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
         *       "sequence": 1207,
         *       "type": "post.deleted",
         *       "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
         *     }
         */
        PostDeletedEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Data of the event. */
            data: components["schemas"]["PostEventData"];
            /**
             * @description ID of the event, the same for every attempt. Use it to detect duplicates.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            id: string;
            /**
             * @description test in events of a test workspace; absent in others.
             * @example test
             * @enum {string}
             */
            mode?: "test";
            /**
             * Format: int64
             * @description Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the later one has the higher number.
             * @example 1207
             */
            sequence: number;
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "post.deleted";
            /**
             * Format: uuid
             * @description ID of the event's workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            workspaceId: string;
        };
        PostError: {
            /**
             * @description Code of the reason.
             * @example OUTCOME_UNKNOWN
             */
            code: string;
            /**
             * @description Explanation of the reason.
             * @example The network did not respond in time. Check the account before you try again.
             */
            message: string;
            /**
             * @description Whether publishing the post again can succeed.
             * @example false
             */
            retryable: boolean;
        } | null;
        PostEventData: {
            /**
             * Format: uuid
             * @description ID of the post's channel.
             * @example 0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59
             */
            channelId: string;
            /** @description Type of the post's channel. */
            channelType: components["schemas"]["ChannelType"];
            /**
             * @description Whether the network is known to show the post: false if it reports nothing about it, or its review took longer than 24 hours; null unless the post is PUBLISHED.
             * @example true
             */
            confirmed: boolean | null;
            /** @description Reason why publishing failed; null unless the post is FAILED. */
            error: components["schemas"]["PostError"] | null;
            /**
             * @description ID of the post in the client's own system; null if it has none.
             * @example cms-4711
             */
            externalId: string | null;
            /**
             * Format: uuid
             * @description ID of the set: the posts that were created by one request.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b61
             */
            groupId: string;
            /**
             * @description Labels of the post.
             * @example [
             *       "Spring"
             *     ]
             */
            labels: string[];
            /**
             * @description Values that the client stored with the post.
             * @example {
             *       "campaign": "spring"
             *     }
             */
            metadata: {
                [key: string]: string;
            };
            /**
             * Format: uuid
             * @description ID of the post.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60
             */
            postId: string;
            /**
             * @description URL of the published post; null if the post is not published or its network provides no URL.
             * @example https://t.me/acme_news/42
             */
            postUrl: string | null;
            /**
             * Format: date-time
             * @description Time at which the post was published; null unless the post is PUBLISHED.
             * @example 2026-03-01T07:00:00.000Z
             */
            publishedAt: string | null;
            /**
             * Format: date-time
             * @description Time at which the post is to be published; null if it has none.
             * @example 2026-03-01T07:00:00.000Z
             */
            scheduledAt: string | null;
            /** @description State of the post after the event; for a deleted post, its last state. */
            status: components["schemas"]["PostStatus"];
        };
        /**
         * A post was not published
         * @description Sent when a post is not published and needs a manual retry, or when the outcome cannot be determined. `error` contains the reason.
         * @example {
         *       "createdAt": "2026-03-01T07:00:00.000Z",
         *       "data": {
         *         "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
         *         "channelType": "TELEGRAM_CHANNEL",
         *         "confirmed": null,
         *         "error": {
         *           "code": "OUTCOME_UNKNOWN",
         *           "message": "The network did not respond in time. Check the account before you try again.",
         *           "retryable": false
         *         },
         *         "externalId": null,
         *         "groupId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "labels": [],
         *         "metadata": {},
         *         "postId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "postUrl": null,
         *         "publishedAt": null,
         *         "scheduledAt": null,
         *         "status": "FAILED"
         *       },
         *       "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
         *       "sequence": 1207,
         *       "type": "post.failed",
         *       "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
         *     }
         */
        PostFailedEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Data of the event. */
            data: components["schemas"]["PostEventData"];
            /**
             * @description ID of the event, the same for every attempt. Use it to detect duplicates.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            id: string;
            /**
             * @description test in events of a test workspace; absent in others.
             * @example test
             * @enum {string}
             */
            mode?: "test";
            /**
             * Format: int64
             * @description Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the later one has the higher number.
             * @example 1207
             */
            sequence: number;
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "post.failed";
            /**
             * Format: uuid
             * @description ID of the event's workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            workspaceId: string;
        };
        PostOptions: {
            /**
             * @description Google Business: URL of the button.
             * @example https://example.com/tiles
             */
            actionUrl?: string;
            /**
             * @description Instagram, X, TikTok and YouTube: whether the post is labelled as AI-generated.
             * @example true
             */
            aiGenerated?: boolean;
            /**
             * @description TikTok: whether others may comment, by default as the account has it.
             * @example true
             */
            allowComments?: boolean;
            /**
             * @description TikTok: whether others may make duets with the video.
             * @example true
             */
            allowDuet?: boolean;
            /**
             * @description YouTube: whether other sites may embed the video.
             * @example true
             */
            allowEmbedding?: boolean;
            /**
             * @description TikTok: whether others may stitch the video into theirs.
             * @example true
             */
            allowStitch?: boolean;
            /**
             * @description Pinterest: alternative text of the image.
             * @example Blue tiles
             */
            altText?: string;
            /**
             * @description Pinterest: the board to pin to.
             * @example 549755885175
             */
            boardId?: string;
            /**
             * @description Pinterest: the section of the board to pin to.
             * @example 549755885175
             */
            boardSectionId?: string;
            /**
             * @description X: whether the post is labelled as a paid partnership. TikTok: discloses a paid partnership.
             * @example true
             */
            brandContent?: boolean;
            /**
             * @description TikTok: discloses that the account promotes its own business.
             * @example true
             */
            brandOrganic?: boolean;
            /**
             * @description Google Business: kind of the button: BOOK, ORDER, SHOP, LEARN_MORE, SIGN_UP or CALL.
             * @example BOOK
             */
            callToAction?: string;
            /**
             * @description YouTube: the number of YouTube's category, such as 22.
             * @example 22
             */
            category?: string;
            /**
             * @description Instagram: user names of accounts that are invited as authors.
             * @example [
             *       "Blue",
             *       "Green"
             *     ]
             */
            collaborators?: string[];
            /**
             * @description Bluesky: label of the attachments, by which readers hide them: sexual, nudity, porn or graphic-media.
             * @example sexual
             */
            contentLabel?: string;
            /**
             * @description Mastodon: warning that is shown instead of the post until a reader opens it, and counts as its text.
             * @example Blue tiles
             */
            contentWarning?: string;
            /**
             * @description Google Business: code of the offer.
             * @example Blue tiles
             */
            couponCode?: string;
            /**
             * @description Instagram: URL of a reel's cover.
             * @example https://example.com/tiles
             */
            coverUrl?: string;
            /**
             * @description Google Business: end, like eventStart.
             * @example 2026-03-01T09:00
             */
            eventEnd?: string;
            /**
             * @description Google Business: start, as a date or as a date and a time of the location.
             * @example 2026-03-01T09:00
             */
            eventStart?: string;
            /**
             * @description Google Business: title of an event or offer.
             * @example Blue tiles
             */
            eventTitle?: string;
            /**
             * @description Bluesky and Mastodon: language of the text, as a tag like en or pt-BR.
             * @example en
             */
            language?: string;
            /**
             * @description YouTube: the licence of the video: youtube or creativeCommon.
             * @example youtube
             */
            license?: string;
            /**
             * @description Facebook and Threads: URL of the card. LinkedIn: publishes the post as the card of this link, with the post's title and its image as the thumbnail. Pinterest: target URL of the pin.
             * @example https://example.com/tiles
             */
            link?: string;
            /**
             * @description Telegram: where the message shows the page of its first link: below, above or none.
             * @example below
             */
            linkPreview?: string;
            /**
             * @description Instagram: id of the Facebook Page of the place.
             * @example 549755885175
             */
            locationId?: string;
            /**
             * @description X: publishes a text of up to 25,000 characters, for accounts with X Premium. Threads: a text of more than 500 characters is attached, and the post shows its beginning. Telegram: publishes a text of up to 32,768 characters as a rich message.
             * @example true
             */
            longText?: boolean;
            /**
             * @description YouTube: whether the video is made for children.
             * @example true
             */
            madeForKids?: boolean;
            /**
             * @description YouTube: whether subscribers are notified.
             * @example true
             */
            notifySubscribers?: boolean;
            /**
             * Format: int64
             * @description X and Mastodon: minutes for which the poll is open, by default a day. LinkedIn: minutes for which the poll is open, by default a day: 1440, 4320, 10080 or 20160.
             * @example 5
             */
            pollMinutes?: number;
            /**
             * @description Telegram and Mastodon: whether a reader may choose several answers.
             * @example true
             */
            pollMultiple?: boolean;
            /**
             * @description X, LinkedIn, Threads, Telegram and Mastodon: answers of a poll below the text.
             * @example [
             *       "Blue",
             *       "Green"
             *     ]
             */
            pollOptions?: string[];
            /**
             * @description LinkedIn: question of the poll, which it requires.
             * @example Blue tiles
             */
            pollQuestion?: string;
            /**
             * @description TikTok: who may watch: a level that the creator's information lists: PUBLIC_TO_EVERYONE, MUTUAL_FOLLOW_FRIENDS, FOLLOWER_OF_CREATOR or SELF_ONLY.
             * @example PUBLIC_TO_EVERYONE
             */
            privacy?: string;
            /**
             * @description Telegram: whether Telegram prevents forwarding and saving the post.
             * @example true
             */
            protected?: boolean;
            /**
             * @description X and Bluesky: address of the post to quote.
             * @example https://example.com/tiles
             */
            quote?: string;
            /**
             * @description Google Business: URL at which the offer is redeemed.
             * @example https://example.com/tiles
             */
            redeemUrl?: string;
            /**
             * @description X: who may reply: everyone, following, mentioned, subscribers or verified. Threads: who may reply: everyone, following, followers or mentioned. Bluesky: who may reply: everyone, following, followers, mentioned or none.
             * @example everyone
             */
            replies?: string;
            /**
             * @description Threads, Telegram and Mastodon: whether the attachments are hidden until a reader opens them.
             * @example true
             */
            sensitive?: boolean;
            /**
             * @description Instagram: whether a reel is also shown in the feed.
             * @example true
             */
            shareToFeed?: boolean;
            /**
             * @description Telegram: whether subscribers are notified without a sound.
             * @example true
             */
            silent?: boolean;
            /**
             * @description YouTube: tags of the video.
             * @example [
             *       "Blue",
             *       "Green"
             *     ]
             */
            tags?: string[];
            /**
             * @description Google Business: terms of the offer.
             * @example Blue tiles
             */
            terms?: string;
            /**
             * Format: int64
             * @description Instagram, TikTok and Pinterest: the frame that is the cover.
             * @example 1500
             */
            thumbOffset?: number;
            /**
             * @description Threads: topic of the post, without #.
             * @example Blue tiles
             */
            topicTag?: string;
            /**
             * @description Google Business: kind of post: STANDARD, EVENT or OFFER.
             * @example STANDARD
             */
            topicType?: string;
            /**
             * @description Instagram: shows a reel to people who do not follow first, and to followers by hand or when it does well: manual or automatic.
             * @example manual
             */
            trialReel?: string;
            /**
             * @description TikTok: sends a draft to the creator's inbox instead of publishing.
             * @example true
             */
            uploadToDraft?: boolean;
            /**
             * @description Instagram: user names of accounts that are tagged in the first file.
             * @example [
             *       "Blue",
             *       "Green"
             *     ]
             */
            userTags?: string[];
            /**
             * @description YouTube: a regular video or a Short: video or short.
             * @example video
             */
            videoType?: string;
            /**
             * @description LinkedIn: visibility of the post: everyone, or the member's connections: PUBLIC or CONNECTIONS. YouTube: visibility of the video: public, unlisted or private. Mastodon: visibility of the post: everyone, everyone but not in public lists, or followers: public, unlisted or private.
             * @example PUBLIC
             */
            visibility?: string;
        };
        PostPage: {
            /** @description Posts in the order of sort. */
            data: components["schemas"]["Post"][];
            /**
             * @description Cursor of the next page; null on the last page.
             * @example AQGQo8YsE356m1VqLj1MW2BvQ2k3c1R5bWx3aGVyZQ
             */
            nextCursor: string | null;
        };
        /**
         * A part of a post was not published
         * @description Sent when a part of a published post is not published: a reply of its thread, or its first comment. The parts after it wait for a decision (continue-parts).
         * @example {
         *       "createdAt": "2026-03-01T07:00:00.000Z",
         *       "data": {
         *         "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
         *         "channelType": "TELEGRAM_CHANNEL",
         *         "confirmed": null,
         *         "error": null,
         *         "externalId": null,
         *         "groupId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "labels": [],
         *         "metadata": {},
         *         "part": {
         *           "error": {
         *             "code": "OUTCOME_UNKNOWN",
         *             "message": "The network did not respond in time. Check the account before you try again.",
         *             "retryable": false
         *           },
         *           "index": 2,
         *           "kind": "REPLY",
         *           "status": "FAILED"
         *         },
         *         "postId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "postUrl": "https://t.me/acme_news/42",
         *         "publishedAt": "2026-03-01T07:00:00.000Z",
         *         "scheduledAt": "2026-03-01T07:00:00.000Z",
         *         "status": "PUBLISHED"
         *       },
         *       "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
         *       "sequence": 1207,
         *       "type": "post.part_failed",
         *       "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
         *     }
         */
        PostPartFailedEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Data of the event. */
            data: components["schemas"]["PartEventData"];
            /**
             * @description ID of the event, the same for every attempt. Use it to detect duplicates.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            id: string;
            /**
             * @description test in events of a test workspace; absent in others.
             * @example test
             * @enum {string}
             */
            mode?: "test";
            /**
             * Format: int64
             * @description Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the later one has the higher number.
             * @example 1207
             */
            sequence: number;
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "post.part_failed";
            /**
             * Format: uuid
             * @description ID of the event's workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            workspaceId: string;
        };
        /**
         * A post was published
         * @description Sent when the network accepts a post.
         * @example {
         *       "createdAt": "2026-03-01T07:00:00.000Z",
         *       "data": {
         *         "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
         *         "channelType": "TELEGRAM_CHANNEL",
         *         "confirmed": null,
         *         "error": null,
         *         "externalId": null,
         *         "groupId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "labels": [],
         *         "metadata": {},
         *         "postId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "postUrl": "https://t.me/acme_news/42",
         *         "publishedAt": "2026-03-01T07:00:00.000Z",
         *         "scheduledAt": "2026-03-01T07:00:00.000Z",
         *         "status": "PUBLISHED"
         *       },
         *       "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
         *       "sequence": 1207,
         *       "type": "post.published",
         *       "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
         *     }
         */
        PostPublishedEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Data of the event. */
            data: components["schemas"]["PostEventData"];
            /**
             * @description ID of the event, the same for every attempt. Use it to detect duplicates.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            id: string;
            /**
             * @description test in events of a test workspace; absent in others.
             * @example test
             * @enum {string}
             */
            mode?: "test";
            /**
             * Format: int64
             * @description Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the later one has the higher number.
             * @example 1207
             */
            sequence: number;
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "post.published";
            /**
             * Format: uuid
             * @description ID of the event's workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            workspaceId: string;
        };
        /**
         * A post was rejected
         * @description Sent when an approver rejects a pending post. The post becomes a draft again.
         * @example {
         *       "createdAt": "2026-03-01T07:00:00.000Z",
         *       "data": {
         *         "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
         *         "channelType": "TELEGRAM_CHANNEL",
         *         "comment": "Looks good.",
         *         "confirmed": null,
         *         "error": null,
         *         "externalId": null,
         *         "groupId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "labels": [],
         *         "metadata": {},
         *         "postId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "postUrl": null,
         *         "publishedAt": null,
         *         "scheduledAt": null,
         *         "status": "DRAFT"
         *       },
         *       "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
         *       "sequence": 1207,
         *       "type": "post.rejected",
         *       "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
         *     }
         */
        PostRejectedEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Data of the event. */
            data: components["schemas"]["ApprovalEventData"];
            /**
             * @description ID of the event, the same for every attempt. Use it to detect duplicates.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            id: string;
            /**
             * @description test in events of a test workspace; absent in others.
             * @example test
             * @enum {string}
             */
            mode?: "test";
            /**
             * Format: int64
             * @description Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the later one has the higher number.
             * @example 1207
             */
            sequence: number;
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "post.rejected";
            /**
             * Format: uuid
             * @description ID of the event's workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            workspaceId: string;
        };
        /**
         * A post got a time
         * @description Sent when a post becomes SCHEDULED, and when the time of a SCHEDULED post changes, whatever the way: creation (after post.created), scheduling, publishing at once, the next slot, an edit (after post.updated), an approval (after post.approved). The intended time of a DRAFT sends post.updated only.
         * @example {
         *       "createdAt": "2026-03-01T07:00:00.000Z",
         *       "data": {
         *         "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
         *         "channelType": "TELEGRAM_CHANNEL",
         *         "confirmed": null,
         *         "error": null,
         *         "externalId": null,
         *         "groupId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "labels": [],
         *         "metadata": {},
         *         "postId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "postUrl": null,
         *         "publishedAt": null,
         *         "scheduledAt": "2026-03-01T07:00:00.000Z",
         *         "status": "SCHEDULED"
         *       },
         *       "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
         *       "sequence": 1207,
         *       "type": "post.scheduled",
         *       "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
         *     }
         */
        PostScheduledEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Data of the event. */
            data: components["schemas"]["PostEventData"];
            /**
             * @description ID of the event, the same for every attempt. Use it to detect duplicates.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            id: string;
            /**
             * @description test in events of a test workspace; absent in others.
             * @example test
             * @enum {string}
             */
            mode?: "test";
            /**
             * Format: int64
             * @description Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the later one has the higher number.
             * @example 1207
             */
            sequence: number;
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "post.scheduled";
            /**
             * Format: uuid
             * @description ID of the event's workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            workspaceId: string;
        };
        /**
         * @description Order of a list of posts: by creation, by scheduled time or by last change, descending with a minus. Posts without a scheduled time come last in both orders by scheduledAt.
         * @default -createdAt
         * @example -createdAt
         * @enum {string}
         */
        PostSort: "-createdAt" | "createdAt" | "scheduledAt" | "-scheduledAt" | "-updatedAt" | "updatedAt";
        /**
         * @description State of a post. One of DRAFT, PENDING_APPROVAL, SCHEDULED, PUBLISHED, FAILED, ARCHIVED. Tolerate new values.
         * @example DRAFT
         */
        PostStatus: "DRAFT" | "PENDING_APPROVAL" | "SCHEDULED" | "PUBLISHED" | "FAILED" | "ARCHIVED" | (string & {});
        /**
         * @description State of a post.
         * @example DRAFT
         * @enum {string}
         */
        PostStatusInput: "DRAFT" | "PENDING_APPROVAL" | "SCHEDULED" | "PUBLISHED" | "FAILED" | "ARCHIVED";
        /**
         * A post lost its time
         * @description Sent when a SCHEDULED post becomes a DRAFT.
         * @example {
         *       "createdAt": "2026-03-01T07:00:00.000Z",
         *       "data": {
         *         "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
         *         "channelType": "TELEGRAM_CHANNEL",
         *         "confirmed": null,
         *         "error": null,
         *         "externalId": null,
         *         "groupId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "labels": [],
         *         "metadata": {},
         *         "postId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "postUrl": null,
         *         "publishedAt": null,
         *         "scheduledAt": null,
         *         "status": "DRAFT"
         *       },
         *       "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
         *       "sequence": 1207,
         *       "type": "post.unscheduled",
         *       "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
         *     }
         */
        PostUnscheduledEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Data of the event. */
            data: components["schemas"]["PostEventData"];
            /**
             * @description ID of the event, the same for every attempt. Use it to detect duplicates.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            id: string;
            /**
             * @description test in events of a test workspace; absent in others.
             * @example test
             * @enum {string}
             */
            mode?: "test";
            /**
             * Format: int64
             * @description Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the later one has the higher number.
             * @example 1207
             */
            sequence: number;
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "post.unscheduled";
            /**
             * Format: uuid
             * @description ID of the event's workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            workspaceId: string;
        };
        /**
         * A post was edited
         * @description Sent when the content, the options or the time of a post is edited, and when a published post is changed or deleted on its network. Scheduling, unscheduling and edits without a change do not send it.
         * @example {
         *       "createdAt": "2026-03-01T07:00:00.000Z",
         *       "data": {
         *         "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
         *         "channelType": "TELEGRAM_CHANNEL",
         *         "confirmed": null,
         *         "error": null,
         *         "externalId": null,
         *         "groupId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "labels": [],
         *         "metadata": {},
         *         "postId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
         *         "postUrl": null,
         *         "publishedAt": null,
         *         "scheduledAt": "2026-03-01T07:00:00.000Z",
         *         "status": "SCHEDULED"
         *       },
         *       "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
         *       "sequence": 1207,
         *       "type": "post.updated",
         *       "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
         *     }
         */
        PostUpdatedEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Data of the event. */
            data: components["schemas"]["PostEventData"];
            /**
             * @description ID of the event, the same for every attempt. Use it to detect duplicates.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            id: string;
            /**
             * @description test in events of a test workspace; absent in others.
             * @example test
             * @enum {string}
             */
            mode?: "test";
            /**
             * Format: int64
             * @description Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the later one has the higher number.
             * @example 1207
             */
            sequence: number;
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "post.updated";
            /**
             * Format: uuid
             * @description ID of the event's workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            workspaceId: string;
        };
        Predecessor: {
            /**
             * Format: int64
             * @description Seconds after the publication of that post.
             * @example 600
             */
            delaySeconds: number;
            /**
             * @description What happens if that post fails or is deleted.
             * @example hold
             */
            onFailure: components["schemas"]["OnFailure"];
            /**
             * Format: uuid
             * @description ID of the post that must be published first. It may have been deleted.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60
             */
            postId: string;
        } | null;
        Problem: {
            /**
             * @description Code of the problem. Treat unknown codes by their status.
             * @example VALIDATION_FAILED
             */
            code: components["schemas"]["ProblemCode"];
            /**
             * @description INVALID_STATE: the current status of the resource.
             * @example PUBLISHED
             */
            currentStatus?: string;
            /**
             * @description Explanation of this occurrence. Do not parse it.
             * @example /channelIds/0 must be a UUID
             */
            detail: string;
            /** @description VALIDATION_FAILED: every fault of the request. */
            errors?: components["schemas"]["Fault"][];
            /**
             * @description Path of the request.
             * @example /v1/posts
             */
            instance: string;
            /**
             * @description EXTERNAL_ID_IN_USE: ID of the post that has the external ID.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60
             */
            postId?: string;
            /** @description MEDIA_IN_USE: the uses of the asset. */
            references?: components["schemas"]["Reference"][];
            /**
             * @description X-Request-Id of the response, for support.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            requestId: string;
            /**
             * Format: int64
             * @description HTTP status of the response.
             * @example 422
             */
            status: number;
            /**
             * @description Short name of the problem, the same for every occurrence.
             * @example Validation failed
             */
            title: string;
            /**
             * Format: uri
             * @description URL of a page that explains the code.
             * @example https://api.example.com/problems/validation-failed
             */
            type: string;
        };
        /**
         * @description Code of a problem. Treat unknown codes by their status. One of MALFORMED_REQUEST, NOT_FOUND, METHOD_NOT_ALLOWED, NOT_ACCEPTABLE, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, MISDIRECTED_REQUEST, UNAUTHENTICATED, INSUFFICIENT_SCOPE, QUOTA_EXCEEDED, RATE_LIMITED, INVALID_STATE, APPROVAL_REQUIRED, PUBLISH_IN_PROGRESS, MEDIA_IN_USE, EXTERNAL_ID_IN_USE, IDEMPOTENCY_IN_PROGRESS, PRECONDITION_FAILED, UPLOAD_NOT_RECEIVED, VALIDATION_FAILED, INVALID_CURSOR, CHANNEL_NOT_PUBLISHABLE, CHANNEL_DISCONNECTED, SCHEDULED_IN_PAST, CHANNEL_TYPE_MISMATCH, NO_FREE_SLOT, QUEUE_PAUSED, IDEMPOTENCY_KEY_REUSED, UPLOAD_MISMATCH, IMPORT_FAILED, INTERNAL, UNAVAILABLE. Tolerate new values.
         * @example MALFORMED_REQUEST
         */
        ProblemCode: "MALFORMED_REQUEST" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "MISDIRECTED_REQUEST" | "UNAUTHENTICATED" | "INSUFFICIENT_SCOPE" | "QUOTA_EXCEEDED" | "RATE_LIMITED" | "INVALID_STATE" | "APPROVAL_REQUIRED" | "PUBLISH_IN_PROGRESS" | "MEDIA_IN_USE" | "EXTERNAL_ID_IN_USE" | "IDEMPOTENCY_IN_PROGRESS" | "PRECONDITION_FAILED" | "UPLOAD_NOT_RECEIVED" | "VALIDATION_FAILED" | "INVALID_CURSOR" | "CHANNEL_NOT_PUBLISHABLE" | "CHANNEL_DISCONNECTED" | "SCHEDULED_IN_PAST" | "CHANNEL_TYPE_MISMATCH" | "NO_FREE_SLOT" | "QUEUE_PAUSED" | "IDEMPOTENCY_KEY_REUSED" | "UPLOAD_MISMATCH" | "IMPORT_FAILED" | "INTERNAL" | "UNAVAILABLE" | (string & {});
        /** @description A block of the type PRODUCT. */
        ProductBlock: {
            /**
             * Format: uuid
             * @description Id of the block. It stays the same when the page is published.
             * @example 0190a3d2-e8df-7c46-97d0-36c40f68e72c
             */
            id: string;
            /**
             * @description Whether the block is shown.
             * @example true
             */
            isVisible: boolean;
            /** @description Content of the block. Its fields depend on the type. */
            settings: components["schemas"]["ProductBlockSettings"];
            /**
             * Format: date-time
             * @description Start of the display period. Null: no start.
             * @example 2026-03-01T07:00:00.000Z
             */
            showFrom: string | null;
            /**
             * Format: date-time
             * @description End of the display period. Null: no end.
             * @example 2026-03-01T07:00:00.000Z
             */
            showUntil: string | null;
            /**
             * @description Type of the block. It never changes. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "PRODUCT";
        };
        ProductBlockSettings: {
            /**
             * @description Text of the button. Null: a default text.
             * @example Buy
             */
            buttonLabel: string | null;
            /**
             * @description Currency of the price (ISO 4217).
             * @example EUR
             */
            currency: string | null;
            /**
             * @description Description of the product.
             * @example Stoneware, 14 cm
             */
            description: string | null;
            /**
             * Format: uuid
             * @description An IMAGE or a GIF of the workspace.
             * @example 0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93
             */
            imageMediaId: string | null;
            /**
             * @description Name of the product.
             * @example Breakfast bowl
             */
            name: string;
            /**
             * @description Exact amount, as text. Requires currency.
             * @example 38.00
             */
            price: string | null;
            /**
             * Format: uri
             * @description A URL with https, mailto or tel.
             * @example https://shop.example.com/bowl
             */
            url: string;
        };
        ProductBlockSettingsInput: {
            /**
             * @description Text of the button. Null: a default text.
             * @example Buy
             */
            buttonLabel?: string | null;
            /**
             * @description Currency of the price (ISO 4217).
             * @example EUR
             */
            currency?: string | null;
            /**
             * @description Description of the product.
             * @example Stoneware, 14 cm
             */
            description?: string | null;
            /**
             * Format: uuid
             * @description An IMAGE or a GIF of the workspace.
             * @example 0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93
             */
            imageMediaId?: string | null;
            /**
             * @description Name of the product.
             * @example Breakfast bowl
             */
            name: string;
            /**
             * @description Exact amount, as text. Requires currency.
             * @example 38.00
             */
            price?: string | null;
            /**
             * Format: uri
             * @description A URL with https, mailto or tel.
             * @example https://shop.example.com/bowl
             */
            url: string;
        };
        PublishAfter: {
            /**
             * Format: uuid
             * @description Instead of postId: the channel whose post of this request must be published first.
             * @example 0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59
             */
            channelId?: string;
            /**
             * Format: int64
             * @description Seconds after that post.
             * @example 600
             */
            delaySeconds?: number;
            /**
             * @description If that post fails or is deleted: hold (default) waits for it, cancel returns to DRAFT, publish publishes.
             * @example hold
             */
            onFailure?: components["schemas"]["OnFailureInput"];
            /**
             * Format: uuid
             * @description Post that must be published first.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60
             */
            postId?: string;
        };
        PublishedLinkPage: {
            /**
             * @description Text below the title.
             * @example Ceramics from Leipzig
             */
            bio: string | null;
            /** @description Blocks, in display order. */
            blocks: components["schemas"]["LinkPageBlock"][];
            /**
             * @description Last part of the page's URL.
             * @example mara-weber
             */
            handle: string;
            /**
             * Format: date-time
             * @description Time of the publication.
             * @example 2026-03-01T07:00:00.000Z
             */
            publishedAt: string;
            /** @description Data for search engines and link previews. */
            seo: components["schemas"]["LinkPageSEO"];
            /** @description Design of the page. */
            theme: components["schemas"]["LinkPageTheme"];
            /**
             * @description Title.
             * @example Mara Weber
             */
            title: string;
            /**
             * Format: uri
             * @description URL of the page.
             * @example https://pages.example.com/mara-weber
             */
            url: string;
            /**
             * Format: int64
             * @description Number of publications of the page.
             * @example 3
             */
            version: number;
        } | null;
        Quota: {
            /**
             * Format: int64
             * @description Maximum number of posts in the window; null if the network states none, with all other fields.
             * @example 250
             */
            limit: number | null;
            /**
             * Format: int64
             * @description Further posts that can be published. 0 also while the network itself refuses posts of the channel.
             * @example 238
             */
            remaining: number | null;
            /**
             * Format: date-time
             * @description Time at which the next place becomes free: the end of the day, or 24 hours after the first post that takes one. Null if every place is free.
             * @example 2026-03-01T07:00:00.000Z
             */
            resetsAt: string | null;
            /**
             * Format: int64
             * @description Posts that take a place: published ones, SCHEDULED ones, and those of other programs if the network reports them.
             * @example 12
             */
            used: number | null;
            /** @description P1D: a calendar day of the network. PT24H: any 24 hours. Tolerate new values. */
            window: components["schemas"]["QuotaWindow"];
        };
        /**
         * @description P1D: a calendar day of the network. PT24H: any 24 hours. One of P1D, PT24H. Tolerate new values.
         * @example PT24H
         */
        QuotaWindow: "P1D" | "PT24H" | (string & {});
        Reference: {
            /**
             * @description ID of the resource.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60
             */
            id: string;
            /**
             * @description Name of the resource.
             * @example Our spring collection is here.
             */
            name: string;
            /**
             * @description Type of the resource: POST, SERIES, EVERGREEN, LINK_PAGE, IDEA_CARD, CHANNEL_AVATAR, WORKSPACE_LOGO, BRAND_LOGO, BRAND_PERSONA_PHOTO or BRAND_STYLE_REFERENCE. Tolerate new values.
             * @example POST
             */
            type: string;
        };
        RotateSecretRequest: {
            /**
             * @description true rotates even if the secret from before the last rotation still signs, and expires that secret at once.
             * @example false
             */
            force?: boolean;
            /**
             * Format: int64
             * @description Hours during which the current secret also signs. Defaults to 24. 0 expires it at once, for a leaked secret.
             * @example 24
             */
            overlapHours?: number;
        };
        SchedulePostRequest: {
            /**
             * @description With schedule next_slot: true moves a post that holds a slot to another one.
             * @example false
             */
            force?: boolean;
            /**
             * @description Selects the next free slot of the channel's posting schedule instead of a time. A SCHEDULED post that holds a slot keeps it.
             * @example next_slot
             * @enum {string}
             */
            schedule?: "next_slot";
            /**
             * @description Time of publishing, in the future: RFC 3339 with an offset, or without one beside timezone.
             * @example 2026-03-01T09:00:00+02:00
             */
            scheduledAt?: string;
            /**
             * @description IANA time zone of a time without an offset. A time that the clocks skip is the first instant after the gap; a time that occurs twice is the first of both. A time with an offset keeps it, which must be that of the time zone; Z is valid beside any.
             * @example Europe/Berlin
             */
            timezone?: string | null;
        };
        /**
         * @description Scope of a credential. One of channels:read, media:write, posts:write, posts:publish, webhooks:manage, analytics:read, links:read, links:write, ideas:read, ideas:write. Tolerate new values.
         * @example channels:read
         */
        Scope: "channels:read" | "media:write" | "posts:write" | "posts:publish" | "webhooks:manage" | "analytics:read" | "links:read" | "links:write" | "ideas:read" | "ideas:write" | (string & {});
        /** @description A block of the type SECTION. */
        SectionBlock: {
            /**
             * Format: uuid
             * @description Id of the block. It stays the same when the page is published.
             * @example 0190a3d2-e8df-7c46-97d0-36c40f68e72c
             */
            id: string;
            /**
             * @description Whether the block is shown.
             * @example true
             */
            isVisible: boolean;
            /** @description Content of the block. Its fields depend on the type. */
            settings: components["schemas"]["SectionBlockSettings"];
            /**
             * Format: date-time
             * @description Start of the display period. Null: no start.
             * @example 2026-03-01T07:00:00.000Z
             */
            showFrom: string | null;
            /**
             * Format: date-time
             * @description End of the display period. Null: no end.
             * @example 2026-03-01T07:00:00.000Z
             */
            showUntil: string | null;
            /**
             * @description Type of the block. It never changes. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "SECTION";
        };
        SectionBlockSettings: {
            /**
             * @description Text below the heading.
             * @example Six places each
             */
            description: string | null;
            /**
             * @description Heading of the following blocks.
             * @example Workshops
             */
            title: string;
        };
        SectionBlockSettingsInput: {
            /**
             * @description Text below the heading.
             * @example Six places each
             */
            description?: string | null;
            /**
             * @description Heading of the following blocks.
             * @example Workshops
             */
            title: string;
        };
        SimulatePostsRequest: {
            /**
             * Format: uuid
             * @description Campaign of the posts.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b65
             */
            campaignId?: string;
            /**
             * @description IDs of channels. One post is created for each channel, or none if one is rejected. May be omitted with variants: it is then their channels.
             * @example [
             *       "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59"
             *     ]
             */
            channelIds?: string[];
            /**
             * @description Text of the posts.
             * @example Our spring collection is here.
             */
            content?: string;
            /** @description Kind of content: POST is a standard post, REEL a short vertical video, STORY an ephemeral story, VIDEO a regular video with a title. Defaults to POST; with options it follows from them and from the media. */
            contentType?: components["schemas"]["ContentTypeInput"];
            /**
             * @description ID of the posts in the client's own system. No other post of a channel may have it.
             * @example cms-4711
             */
            externalId?: string | null;
            /** @description A comment under the post, after its last part. Facebook, Instagram, LinkedIn, YouTube and the networks of threads. */
            firstComment?: components["schemas"]["Comment"];
            /**
             * @description Labels of the posts. A label that the workspace does not have is created.
             * @example [
             *       "Spring"
             *     ]
             */
            labels?: string[];
            /**
             * @description Alternative texts of this post, by ID of the attachment. Each replaces the altText of the asset.
             * @example {
             *       "0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93": "Blue tiles on a wall"
             *     }
             */
            mediaAltTexts?: {
                [key: string]: string;
            };
            /** @description IDs of media in display order. */
            mediaIds?: string[];
            /**
             * @description Values that the client stores with the posts: at most 20, with names of at most 40 characters.
             * @example {
             *       "campaign": "spring"
             *     }
             */
            metadata?: {
                [key: string]: string;
            };
            /** @description Settings of the platform, for channels of one network. Variants take the settings of channels of several networks. */
            options?: components["schemas"]["PostOptions"];
            /**
             * @description IDs of existing posts, instead of the fields of create-posts.
             * @example [
             *       "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60"
             *     ]
             */
            postIds?: string[];
            /** @description Waits for another post; schedule is then the earliest time. {{url}} in the text becomes the address of that post. */
            publishAfter?: components["schemas"]["PublishAfter"];
            /**
             * @description draft creates a draft. now publishes at once. next_slot publishes at the next free slot of the channel's posting schedule. A time (RFC 3339 with an offset, or without one beside timezone) publishes at that time. Every value except draft also needs the scope posts:publish. Default: `draft`.
             * @example 2026-03-01T09:00:00+02:00
             */
            schedule?: string;
            /** @description The parts of a thread after the first, which has content and mediaIds. X, Threads, Bluesky and Mastodon. */
            thread?: components["schemas"]["Part"][];
            /**
             * @description IANA time zone of a time without an offset. A time that the clocks skip is the first instant after the gap; a time that occurs twice is the first of both. A time with an offset keeps it, which must be that of the time zone; Z is valid beside any.
             * @example Europe/Berlin
             */
            timezone?: string | null;
            /**
             * @description Title, for video-style content.
             * @example Spring collection
             */
            title?: string | null;
            /** @description What the posts of channels have of their own. Each names another channel. */
            variants?: components["schemas"]["Variant"][];
        };
        SimulatedPost: {
            /**
             * Format: date-time
             * @description Time at which the post would be published: the requested time, the next free slot, or now. Null if it would not be published: for drafts, and if no time is available.
             * @example 2026-03-01T07:00:00.000Z
             */
            at: string | null;
            /**
             * Format: uuid
             * @description ID of the channel.
             * @example 0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59
             */
            channelId: string;
            /**
             * @description Whether the channel will accept the post at its time: it can be published to, is connected, its access does not end before, and it is not paused.
             * @example true
             */
            channelReady: boolean;
            /** @description Other posts of the channel, SCHEDULED or published, with which the post collides; the nearest in time first, at most 20. */
            conflicts: components["schemas"]["Conflict"][];
            /** @description Attachments that the service converts for the network. */
            conversions: components["schemas"]["Conversion"][];
            /** @description Price that the network bills the operator of the service for the post; null if it is free. */
            cost: components["schemas"]["Cost"] | null;
            /** @description Findings that prevent publishing, as in validate-posts. Pointers are into the body, or for an existing post into the post. */
            errors: components["schemas"]["Finding"][];
            /**
             * Format: uuid
             * @description ID of the post; null if it does not exist.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60
             */
            postId: string | null;
            /** @description Quota of the network at the time of the post, without this post. */
            quota: components["schemas"]["Quota"];
            /** @description Findings that do not prevent publishing but are probably unintended. */
            warnings: components["schemas"]["Finding"][];
        };
        Simulation: {
            /** @description The posts, in the order of channelIds or postIds. */
            posts: components["schemas"]["SimulatedPost"][];
        };
        Slot: {
            /**
             * @description Time of day in the channel's time zone. A time skipped by a change to summer time moves to the end of the gap. A time that occurs twice on a day is used once, at its first occurrence.
             * @example 09:00
             */
            time: string;
            /** @description Day of the week. */
            weekday: components["schemas"]["SlotWeekday"];
        };
        /**
         * @description Day of the week. One of MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY. Tolerate new values.
         * @example MONDAY
         */
        SlotWeekday: "MONDAY" | "TUESDAY" | "WEDNESDAY" | "THURSDAY" | "FRIDAY" | "SATURDAY" | "SUNDAY" | (string & {});
        /**
         * @description failed delivers events that were not delivered for any reason. all also delivers events that were delivered. Default: `failed`. One of failed, all. Tolerate new values.
         * @example failed
         */
        StartReplayOnly: "failed" | "all" | (string & {});
        /**
         * @description failed delivers events that were not delivered for any reason. all also delivers events that were delivered. Default: `failed`.
         * @example failed
         * @enum {string}
         */
        StartReplayOnlyInput: "failed" | "all";
        StartReplayRequest: {
            /** @description failed delivers events that were not delivered for any reason. all also delivers events that were delivered. Default: `failed`. */
            only?: components["schemas"]["StartReplayOnlyInput"];
            /**
             * Format: date-time
             * @description Start of the time range, inclusive: RFC 3339 with an offset, at most 30 days ago.
             * @example 2026-03-01T00:00:00Z
             */
            since: string;
            /**
             * Format: date-time
             * @description End of the time range, exclusive: RFC 3339 with an offset, not in the future. Defaults to now.
             * @example 2026-03-01T06:00:00Z
             */
            until?: string;
        };
        StartUploadRequest: {
            /**
             * @description MIME type of the file: image/jpeg, image/png, image/webp, image/gif, image/heic, image/avif, video/mp4, video/quicktime, video/webm, application/pdf, application/msword, application/vnd.openxmlformats-officedocument.wordprocessingml.document, application/vnd.ms-powerpoint or application/vnd.openxmlformats-officedocument.presentationml.presentation. Must match the uploaded bytes.
             * @example image/jpeg
             */
            contentType: string;
            /**
             * @description Name of the file, stored unchanged. Must not contain control characters, / or \.
             * @example spring.jpg
             */
            fileName: string;
            /**
             * Format: int64
             * @description Exact size of the file, in bytes.
             * @example 184320
             */
            sizeBytes: number;
        };
        StorageUsage: {
            /**
             * Format: int64
             * @description Bytes allowed by the plan.
             * @example 107374182400
             */
            limitBytes: number;
            /**
             * Format: int64
             * @description Bytes allowed by the plan for one file.
             * @example 1073741824
             */
            maxFileBytes: number;
            /**
             * Format: int64
             * @description Bytes in use.
             * @example 73400320
             */
            usedBytes: number;
        };
        /** @description A block of the type TESTIMONIAL. */
        TestimonialBlock: {
            /**
             * Format: uuid
             * @description Id of the block. It stays the same when the page is published.
             * @example 0190a3d2-e8df-7c46-97d0-36c40f68e72c
             */
            id: string;
            /**
             * @description Whether the block is shown.
             * @example true
             */
            isVisible: boolean;
            /** @description Content of the block. Its fields depend on the type. */
            settings: components["schemas"]["TestimonialBlockSettings"];
            /**
             * Format: date-time
             * @description Start of the display period. Null: no start.
             * @example 2026-03-01T07:00:00.000Z
             */
            showFrom: string | null;
            /**
             * Format: date-time
             * @description End of the display period. Null: no end.
             * @example 2026-03-01T07:00:00.000Z
             */
            showUntil: string | null;
            /**
             * @description Type of the block. It never changes. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "TESTIMONIAL";
        };
        TestimonialBlockSettings: {
            /**
             * @description Name of the author.
             * @example Jonas Lindqvist
             */
            author: string;
            /**
             * Format: uuid
             * @description An IMAGE or a GIF of the workspace.
             * @example 0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93
             */
            imageMediaId: string | null;
            /**
             * @description The quote.
             * @example The bowls are a joy every morning.
             */
            quote: string;
            /**
             * Format: int64
             * @description Number of stars. Null: no stars are shown.
             * @example 5
             */
            rating: number | null;
            /**
             * @description Role or company of the author.
             * @example Café Nord
             */
            role: string | null;
        };
        TestimonialBlockSettingsInput: {
            /**
             * @description Name of the author.
             * @example Jonas Lindqvist
             */
            author: string;
            /**
             * Format: uuid
             * @description An IMAGE or a GIF of the workspace.
             * @example 0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93
             */
            imageMediaId?: string | null;
            /**
             * @description The quote.
             * @example The bowls are a joy every morning.
             */
            quote: string;
            /**
             * Format: int64
             * @description Number of stars. Null: no stars are shown.
             * @example 5
             */
            rating?: number | null;
            /**
             * @description Role or company of the author.
             * @example Café Nord
             */
            role?: string | null;
        };
        /** @description A block of the type TEXT. */
        TextBlock: {
            /**
             * Format: uuid
             * @description Id of the block. It stays the same when the page is published.
             * @example 0190a3d2-e8df-7c46-97d0-36c40f68e72c
             */
            id: string;
            /**
             * @description Whether the block is shown.
             * @example true
             */
            isVisible: boolean;
            /** @description Content of the block. Its fields depend on the type. */
            settings: components["schemas"]["TextBlockSettings"];
            /**
             * Format: date-time
             * @description Start of the display period. Null: no start.
             * @example 2026-03-01T07:00:00.000Z
             */
            showFrom: string | null;
            /**
             * Format: date-time
             * @description End of the display period. Null: no end.
             * @example 2026-03-01T07:00:00.000Z
             */
            showUntil: string | null;
            /**
             * @description Type of the block. It never changes. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "TEXT";
        };
        TextBlockSettings: {
            /** @description Alignment of the lines. */
            align: components["schemas"]["TextBlockSettingsAlign"];
            /**
             * @description The text. Line breaks are kept.
             * @example I make tableware in small batches.
             */
            text: string;
        };
        /**
         * @description Alignment of the lines. One of START, CENTER. Tolerate new values.
         * @example CENTER
         */
        TextBlockSettingsAlign: "START" | "CENTER" | (string & {});
        /**
         * @description Alignment of the lines.
         * @example CENTER
         * @enum {string}
         */
        TextBlockSettingsAlignInput: "START" | "CENTER";
        TextBlockSettingsInput: {
            /** @description Alignment of the lines. Default: `START`. */
            align?: components["schemas"]["TextBlockSettingsAlignInput"];
            /**
             * @description The text. Line breaks are kept.
             * @example I make tableware in small batches.
             */
            text: string;
        };
        /**
         * @description Theme of a link page, with a light and a dark palette. One of PAPER, MIST, SAND, FOREST, OCEAN, BLOSSOM, SUNSET, MIDNIGHT. Tolerate new values.
         * @example PAPER
         */
        ThemeName: "PAPER" | "MIST" | "SAND" | "FOREST" | "OCEAN" | "BLOSSOM" | "SUNSET" | "MIDNIGHT" | (string & {});
        /**
         * @description Theme of a link page, with a light and a dark palette. Tolerate new values.
         * @example PAPER
         * @enum {string}
         */
        ThemeNameInput: "PAPER" | "MIST" | "SAND" | "FOREST" | "OCEAN" | "BLOSSOM" | "SUNSET" | "MIDNIGHT";
        Timeline: {
            /** @description Entries, oldest first. */
            data: components["schemas"]["TimelineEntry"][];
        };
        TimelineEntry: {
            /**
             * @description Actor: key and the first characters of an API key, user, guest or program and its name, or service.
             * @example key svc_live_AbCd…
             */
            actor: string;
            /**
             * Format: date-time
             * @description Time of the entry.
             * @example 2026-03-01T07:00:00.000Z
             */
            at: string;
            /**
             * Format: int64
             * @description Number of occurrences. Repeated waits for the same reason are counted in one entry.
             * @example 1
             */
            count: number;
            /**
             * @description Description of the entry.
             * @example Scheduled for 2026-03-01T07:00:00.000Z.
             */
            detail: string;
            /**
             * @description Kind of the entry: created, edited, scheduled, unscheduled, publish_requested, approval_requested, approved, rejected, commented, attempt_started, attempt_failed, attempt_unknown, waiting, reconciled, published, warning, failed, resumed, archived, unarchived, live_change_requested, live_edited, live_deleted or live_change_failed. The last four are about changes of the published post on its network. Tolerate new values.
             * @example scheduled
             */
            kind: string;
            /**
             * Format: date-time
             * @description Time of the last occurrence; equal to at for a single occurrence.
             * @example 2026-03-01T07:00:00.000Z
             */
            lastAt: string;
            /**
             * Format: date-time
             * @description Time of the next check or attempt; null if there is none.
             * @example 2026-03-01T07:00:00.000Z
             */
            nextAt: string | null;
        };
        /**
         * @description State of the access to a network. One of HEALTHY, EXPIRING, NEEDS_RECONNECT. Tolerate new values.
         * @example HEALTHY
         */
        TokenStatus: "HEALTHY" | "EXPIRING" | "NEEDS_RECONNECT" | (string & {});
        /**
         * @description State of the access to a network. Tolerate new values.
         * @example HEALTHY
         * @enum {string}
         */
        TokenStatusInput: "HEALTHY" | "EXPIRING" | "NEEDS_RECONNECT";
        UpdateBulkRequest: {
            /**
             * @description true returns what the request would do, and changes nothing.
             * @example false
             */
            dryRun?: boolean;
            /** @description Posts to change, each once. */
            posts: components["schemas"]["UpdatePost"][];
        };
        UpdateLinkPageBlockRequest: {
            /**
             * @description Whether the block is shown.
             * @example false
             */
            isVisible?: boolean;
            /** @description Changes of the settings: a merge patch (RFC 7396). Null removes an optional field. Lists are replaced as a whole. */
            settings?: components["schemas"]["LinkPageBlockSettingsChange"];
            /**
             * Format: date-time
             * @description Start of the display period: RFC 3339 with an offset. Null: no start.
             * @example 2026-03-01T09:00:00+02:00
             */
            showFrom?: string | null;
            /**
             * Format: date-time
             * @description End of the display period: RFC 3339 with an offset. Null: no end.
             * @example 2026-04-01T09:00:00+02:00
             */
            showUntil?: string | null;
        };
        UpdateLinkPageRequest: {
            /**
             * @description Text below the title. Null: no text.
             * @example Ceramics from Leipzig
             */
            bio?: string | null;
            /**
             * @description Last part of the page's URL, with the rules of create-link-page. The published page keeps its URL until the next publication.
             * @example mara-weber
             */
            handle?: string;
            /** @description Data for search engines and link previews. */
            seo?: components["schemas"]["LinkPageSEOInput"];
            /** @description Design of the page. A theme's own accent color changes with the theme. */
            theme?: components["schemas"]["LinkPageThemeInput"];
            /**
             * @description Title, on one line.
             * @example Mara Weber
             */
            title?: string;
        };
        UpdatePost: {
            /**
             * @description Text of the post.
             * @example Our spring collection is here at last.
             */
            content?: string;
            /**
             * @description true deletes the post. Send it with id alone.
             * @example false
             */
            delete?: boolean | null;
            /**
             * Format: uuid
             * @description ID of the post.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60
             */
            id: string;
            /**
             * @description Labels of the post. Replaces all of them; null removes them.
             * @example [
             *       "Spring"
             *     ]
             */
            labels?: string[] | null;
            /**
             * @description Time of the post, with the effects and the scopes of edit-post: RFC 3339 with an offset, or without one beside timezone; null removes the intended time of a DRAFT.
             * @example 2026-03-01T09:00:00+02:00
             */
            scheduledAt?: string | null;
            /**
             * @description Moves the post by an ISO 8601 duration instead of to a time: P1D to the same time of the next day, -P7D a week back, PT2H by two hours. Counts in the wall-clock time of the post's channel, so that a change of the clocks does not change the time of day.
             * @example P1D
             */
            shiftBy?: string | null;
            /**
             * @description IANA time zone of a time without an offset. A time that the clocks skip is the first instant after the gap; a time that occurs twice is the first of both. A time with an offset keeps it, which must be that of the time zone; Z is valid beside any.
             * @example Europe/Berlin
             */
            timezone?: string | null;
            /**
             * @description Title; null removes it.
             * @example Spring collection
             */
            title?: string | null;
        };
        UpdateWebhookRequest: {
            /**
             * @description Complete list of IDs of channels of which the webhook gets events, without those that have no channel; null sends every event. Applies to new events.
             * @example [
             *       "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59"
             *     ]
             */
            channelIds?: string[] | null;
            /**
             * @description Description of the webhook; null removes it.
             * @example Production
             */
            description?: string | null;
            /**
             * @description Complete list of event types to send, or ["*"]. Applies to new events.
             * @example [
             *       "post.published",
             *       "post.failed"
             *     ]
             */
            events?: components["schemas"]["EventTypeInput"][];
            /**
             * @description true enables the webhook and sets consecutiveFailures to 0. false disables it with disabledReason MANUAL and cancels its pending deliveries.
             * @example true
             */
            isActive?: boolean;
            /**
             * Format: uri
             * @description URL that receives events from now on, including retries of earlier deliveries: https, port 443, a public address, no user information.
             * @example https://hooks.example.com/social
             */
            url?: string;
        };
        UploadPart: {
            /**
             * Format: int64
             * @description Number of the part, from 1.
             * @example 1
             */
            number: number;
            /**
             * Format: int64
             * @description First byte of the part in the file.
             * @example 0
             */
            offset: number;
            /**
             * Format: int64
             * @description Exact size of the part, in bytes.
             * @example 33554432
             */
            sizeBytes: number;
            /**
             * Format: uri
             * @description URL that receives the bytes of the part, valid as long as uploadUrl.
             * @example https://media.example.com/uploads/7mz-1?X-Amz-Expires=3600&X-Amz-Signature=c0de
             */
            url: string;
        };
        UploadUsage: {
            /**
             * Format: int64
             * @description Allowed in a month.
             * @example 5000
             */
            limit: number;
            /**
             * Format: date-time
             * @description Time at which the next month begins.
             * @example 2026-03-01T07:00:00.000Z
             */
            resetsAt: string;
            /**
             * Format: int64
             * @description Imports and uploads started in this month. Deleting media does not reduce the number.
             * @example 12
             */
            used: number;
        };
        Usage: {
            /** @description Link pages. */
            linkPages: components["schemas"]["CountUsage"];
            /**
             * Format: int64
             * @description Requests per minute that each credential may send.
             * @example 600
             */
            requestsPerMinute: number;
            /** @description Storage used by media. */
            storage: components["schemas"]["StorageUsage"];
            /** @description Imports and uploads of media in this calendar month, UTC. */
            uploads: components["schemas"]["UploadUsage"];
            /** @description Webhook endpoints. */
            webhooks: components["schemas"]["CountUsage"];
        };
        Validation: {
            /** @description Findings for each channel, in the order of the request. */
            channels: components["schemas"]["ChannelValidation"][];
            /**
             * @description Whether the post can be published to all channels.
             * @example true
             */
            valid: boolean;
        };
        Variant: {
            /**
             * Format: uuid
             * @description ID of the channel, one of channelIds.
             * @example 0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59
             */
            channelId: string;
            /**
             * @description Text of this post.
             * @example Spring is here.
             */
            content?: string;
            /** @description Kind of content of this post. */
            contentType?: components["schemas"]["ContentTypeInput"];
            /** @description Replaces that of the request; null: this post has none. */
            firstComment?: components["schemas"]["VariantFirstComment"] | null;
            /**
             * @description Alternative texts of this post, by ID of the attachment. If omitted, those of its media are kept.
             * @example {
             *       "0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93": "Blue tiles on a wall"
             *     }
             */
            mediaAltTexts?: {
                [key: string]: string;
            };
            /** @description IDs of the media of this post, in display order. An empty list removes all. */
            mediaIds?: string[];
            /** @description Settings of the platform for this post. Replaces all options of the request. */
            options?: components["schemas"]["VariantOptions"];
            /** @description Replaces that of the request; null: waits for none. */
            publishAfter?: components["schemas"]["VariantPublishAfter"] | null;
            /** @description Replaces the thread of the request. An empty list: this post has none. */
            thread?: components["schemas"]["Part"][];
            /**
             * @description Title of this post.
             * @example Spring collection
             */
            title?: string;
        };
        /** @description Replaces that of the request; null: this post has none. */
        VariantFirstComment: {
            /**
             * @description Text of the comment; empty: none.
             * @example The recipe: https://acme.com/glaze
             */
            content?: string;
            /**
             * Format: int64
             * @description Seconds after the last part of the post.
             * @example 60
             */
            delaySeconds?: number;
        } | null;
        /** @description Settings of the platform for this post. Replaces all options of the request. */
        VariantOptions: {
            /**
             * @description Google Business: URL of the button.
             * @example https://example.com/tiles
             */
            actionUrl?: string;
            /**
             * @description Instagram, X, TikTok and YouTube: whether the post is labelled as AI-generated.
             * @example true
             */
            aiGenerated?: boolean;
            /**
             * @description TikTok: whether others may comment, by default as the account has it.
             * @example true
             */
            allowComments?: boolean;
            /**
             * @description TikTok: whether others may make duets with the video.
             * @example true
             */
            allowDuet?: boolean;
            /**
             * @description YouTube: whether other sites may embed the video.
             * @example true
             */
            allowEmbedding?: boolean;
            /**
             * @description TikTok: whether others may stitch the video into theirs.
             * @example true
             */
            allowStitch?: boolean;
            /**
             * @description Pinterest: alternative text of the image.
             * @example Blue tiles
             */
            altText?: string;
            /**
             * @description Pinterest: the board to pin to.
             * @example 549755885175
             */
            boardId?: string;
            /**
             * @description Pinterest: the section of the board to pin to.
             * @example 549755885175
             */
            boardSectionId?: string;
            /**
             * @description X: whether the post is labelled as a paid partnership. TikTok: discloses a paid partnership.
             * @example true
             */
            brandContent?: boolean;
            /**
             * @description TikTok: discloses that the account promotes its own business.
             * @example true
             */
            brandOrganic?: boolean;
            /**
             * @description Google Business: kind of the button: BOOK, ORDER, SHOP, LEARN_MORE, SIGN_UP or CALL.
             * @example BOOK
             */
            callToAction?: string;
            /**
             * @description YouTube: the number of YouTube's category, such as 22.
             * @example 22
             */
            category?: string;
            /**
             * @description Instagram: user names of accounts that are invited as authors.
             * @example [
             *       "Blue",
             *       "Green"
             *     ]
             */
            collaborators?: string[];
            /**
             * @description Bluesky: label of the attachments, by which readers hide them: sexual, nudity, porn or graphic-media.
             * @example sexual
             */
            contentLabel?: string;
            /**
             * @description Mastodon: warning that is shown instead of the post until a reader opens it, and counts as its text.
             * @example Blue tiles
             */
            contentWarning?: string;
            /**
             * @description Google Business: code of the offer.
             * @example Blue tiles
             */
            couponCode?: string;
            /**
             * @description Instagram: URL of a reel's cover.
             * @example https://example.com/tiles
             */
            coverUrl?: string;
            /**
             * @description Google Business: end, like eventStart.
             * @example 2026-03-01T09:00
             */
            eventEnd?: string;
            /**
             * @description Google Business: start, as a date or as a date and a time of the location.
             * @example 2026-03-01T09:00
             */
            eventStart?: string;
            /**
             * @description Google Business: title of an event or offer.
             * @example Blue tiles
             */
            eventTitle?: string;
            /**
             * @description Bluesky and Mastodon: language of the text, as a tag like en or pt-BR.
             * @example en
             */
            language?: string;
            /**
             * @description YouTube: the licence of the video: youtube or creativeCommon.
             * @example youtube
             */
            license?: string;
            /**
             * @description Facebook and Threads: URL of the card. LinkedIn: publishes the post as the card of this link, with the post's title and its image as the thumbnail. Pinterest: target URL of the pin.
             * @example https://example.com/tiles
             */
            link?: string;
            /**
             * @description Telegram: where the message shows the page of its first link: below, above or none.
             * @example below
             */
            linkPreview?: string;
            /**
             * @description Instagram: id of the Facebook Page of the place.
             * @example 549755885175
             */
            locationId?: string;
            /**
             * @description X: publishes a text of up to 25,000 characters, for accounts with X Premium. Threads: a text of more than 500 characters is attached, and the post shows its beginning. Telegram: publishes a text of up to 32,768 characters as a rich message.
             * @example true
             */
            longText?: boolean;
            /**
             * @description YouTube: whether the video is made for children.
             * @example true
             */
            madeForKids?: boolean;
            /**
             * @description YouTube: whether subscribers are notified.
             * @example true
             */
            notifySubscribers?: boolean;
            /**
             * Format: int64
             * @description X and Mastodon: minutes for which the poll is open, by default a day. LinkedIn: minutes for which the poll is open, by default a day: 1440, 4320, 10080 or 20160.
             * @example 5
             */
            pollMinutes?: number;
            /**
             * @description Telegram and Mastodon: whether a reader may choose several answers.
             * @example true
             */
            pollMultiple?: boolean;
            /**
             * @description X, LinkedIn, Threads, Telegram and Mastodon: answers of a poll below the text.
             * @example [
             *       "Blue",
             *       "Green"
             *     ]
             */
            pollOptions?: string[];
            /**
             * @description LinkedIn: question of the poll, which it requires.
             * @example Blue tiles
             */
            pollQuestion?: string;
            /**
             * @description TikTok: who may watch: a level that the creator's information lists: PUBLIC_TO_EVERYONE, MUTUAL_FOLLOW_FRIENDS, FOLLOWER_OF_CREATOR or SELF_ONLY.
             * @example PUBLIC_TO_EVERYONE
             */
            privacy?: string;
            /**
             * @description Telegram: whether Telegram prevents forwarding and saving the post.
             * @example true
             */
            protected?: boolean;
            /**
             * @description X and Bluesky: address of the post to quote.
             * @example https://example.com/tiles
             */
            quote?: string;
            /**
             * @description Google Business: URL at which the offer is redeemed.
             * @example https://example.com/tiles
             */
            redeemUrl?: string;
            /**
             * @description X: who may reply: everyone, following, mentioned, subscribers or verified. Threads: who may reply: everyone, following, followers or mentioned. Bluesky: who may reply: everyone, following, followers, mentioned or none.
             * @example everyone
             */
            replies?: string;
            /**
             * @description Threads, Telegram and Mastodon: whether the attachments are hidden until a reader opens them.
             * @example true
             */
            sensitive?: boolean;
            /**
             * @description Instagram: whether a reel is also shown in the feed.
             * @example true
             */
            shareToFeed?: boolean;
            /**
             * @description Telegram: whether subscribers are notified without a sound.
             * @example true
             */
            silent?: boolean;
            /**
             * @description YouTube: tags of the video.
             * @example [
             *       "Blue",
             *       "Green"
             *     ]
             */
            tags?: string[];
            /**
             * @description Google Business: terms of the offer.
             * @example Blue tiles
             */
            terms?: string;
            /**
             * Format: int64
             * @description Instagram, TikTok and Pinterest: the frame that is the cover.
             * @example 1500
             */
            thumbOffset?: number;
            /**
             * @description Threads: topic of the post, without #.
             * @example Blue tiles
             */
            topicTag?: string;
            /**
             * @description Google Business: kind of post: STANDARD, EVENT or OFFER.
             * @example STANDARD
             */
            topicType?: string;
            /**
             * @description Instagram: shows a reel to people who do not follow first, and to followers by hand or when it does well: manual or automatic.
             * @example manual
             */
            trialReel?: string;
            /**
             * @description TikTok: sends a draft to the creator's inbox instead of publishing.
             * @example true
             */
            uploadToDraft?: boolean;
            /**
             * @description Instagram: user names of accounts that are tagged in the first file.
             * @example [
             *       "Blue",
             *       "Green"
             *     ]
             */
            userTags?: string[];
            /**
             * @description YouTube: a regular video or a Short: video or short.
             * @example video
             */
            videoType?: string;
            /**
             * @description LinkedIn: visibility of the post: everyone, or the member's connections: PUBLIC or CONNECTIONS. YouTube: visibility of the video: public, unlisted or private. Mastodon: visibility of the post: everyone, everyone but not in public lists, or followers: public, unlisted or private.
             * @example PUBLIC
             */
            visibility?: string;
        };
        /** @description Replaces that of the request; null: waits for none. */
        VariantPublishAfter: {
            /**
             * Format: uuid
             * @description Instead of postId: the channel whose post of this request must be published first.
             * @example 0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59
             */
            channelId?: string;
            /**
             * Format: int64
             * @description Seconds after that post.
             * @example 600
             */
            delaySeconds?: number;
            /**
             * @description If that post fails or is deleted: hold (default) waits for it, cancel returns to DRAFT, publish publishes.
             * @example hold
             */
            onFailure?: components["schemas"]["OnFailureInput"];
            /**
             * Format: uuid
             * @description Post that must be published first.
             * @example 0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60
             */
            postId?: string;
        } | null;
        Waiting: {
            /** @description time: the scheduled time is not reached. retrying: a temporary failure of the network. rate_limited: the network limits requests. platform_processing: the network or the service processes the files. reconciling: the response of the network was lost, and the service checks whether the post was published. platform_review: the network has accepted the post and reviews it before showing it; if it reports nothing until then, the post is PUBLISHED with confirmed false. channel_reconnect: the network no longer accepts the connection of the channel; the post is published when a person has connected the channel again, or fails at until. channel_paused: the channel is paused, or all publishing of the workspace is stopped; the post is published when a person resumes it. after_post: the post before it is not published, or the delay after it is not over. Tolerate new values. */
            reason: components["schemas"]["WaitingReason"];
            /**
             * Format: date-time
             * @description Earliest end of the wait; with channel_reconnect and platform_review its latest end. Null with channel_paused, which only a person ends, and with after_post until the post before it is published.
             * @example 2026-03-01T07:00:00.000Z
             */
            until: string | null;
        } | null;
        /**
         * @description time: the scheduled time is not reached. retrying: a temporary failure of the network. rate_limited: the network limits requests. platform_processing: the network or the service processes the files. reconciling: the response of the network was lost, and the service checks whether the post was published. platform_review: the network has accepted the post and reviews it before showing it; if it reports nothing until then, the post is PUBLISHED with confirmed false. channel_reconnect: the network no longer accepts the connection of the channel; the post is published when a person has connected the channel again, or fails at until. channel_paused: the channel is paused, or all publishing of the workspace is stopped; the post is published when a person resumes it. after_post: the post before it is not published, or the delay after it is not over. One of time, retrying, rate_limited, platform_processing, reconciling, platform_review, channel_reconnect, channel_paused, after_post. Tolerate new values.
         * @example time
         */
        WaitingReason: "time" | "retrying" | "rate_limited" | "platform_processing" | "reconciling" | "platform_review" | "channel_reconnect" | "channel_paused" | "after_post" | (string & {});
        Webhook: {
            /**
             * @description IDs of the channels of which events are sent; null: every event, also those without a channel. A channel stays in the list while it is disconnected.
             * @example [
             *       "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59"
             *     ]
             */
            channelIds: string[] | null;
            /**
             * Format: int64
             * @description Number of consecutive deliveries that used up all attempts. A successful delivery and enabling the webhook set it to 0.
             * @example 0
             */
            consecutiveFailures: number;
            /**
             * Format: date-time
             * @description Time at which the webhook was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /**
             * @description Description of the webhook.
             * @example Production
             */
            description: string | null;
            /**
             * Format: date-time
             * @description Time at which the webhook was disabled; null while it is active.
             * @example 2026-03-01T07:00:00.000Z
             */
            disabledAt: string | null;
            /**
             * @description Reason: CONSECUTIVE_FAILURES, GONE or MANUAL; null while the webhook is active. Tolerate new values.
             * @example CONSECUTIVE_FAILURES
             */
            disabledReason: string | null;
            /**
             * @description Event types that are sent; * matches all types, including future ones.
             * @example [
             *       "post.published",
             *       "post.failed"
             *     ]
             */
            events: components["schemas"]["EventType"][];
            /**
             * Format: uuid
             * @description ID of the webhook.
             * @example 0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71
             */
            id: string;
            /**
             * @description Whether events are sent. False after 10 consecutive exhausted deliveries, after a response 410 Gone, or if the webhook was disabled by a request.
             * @example true
             */
            isActive: boolean;
            /**
             * Format: date-time
             * @description Time until which the previous secret also signs; null if only the current secret signs.
             * @example 2026-03-01T07:00:00.000Z
             */
            previousSecretExpiresAt: string | null;
            /**
             * Format: date-time
             * @description Time of the last change of the webhook.
             * @example 2026-03-01T07:00:00.000Z
             */
            updatedAt: string;
            /**
             * Format: uri
             * @description URL that receives events.
             * @example https://hooks.example.com/social
             */
            url: string;
        };
        WebhookDelivery: {
            /**
             * Format: int64
             * @description Number of attempts, including redeliveries.
             * @example 1
             */
            attemptCount: number;
            /**
             * Format: date-time
             * @description Time of completion; null while the delivery is PENDING.
             * @example 2026-03-01T07:00:00.000Z
             */
            completedAt: string | null;
            /**
             * Format: date-time
             * @description Time at which the delivery was created, moments after the event or by a replay.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /**
             * @description ID of the event: id of the envelope, and X-Service-Delivery of every attempt.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            eventId: string;
            /**
             * @description Type of the event.
             * @example post.published
             */
            eventType: string;
            /**
             * Format: uuid
             * @description ID of the delivery.
             * @example 0190a3cc-8279-7ee0-91bb-c08e9d02b1c6
             */
            id: string;
            /**
             * Format: date-time
             * @description Time of the next attempt. Null if there is none, and while the delivery is queued: an endpoint receives at most 4 concurrent requests, and one while it fails.
             * @example 2026-03-01T07:00:00.000Z
             */
            nextAttemptAt: string | null;
            /**
             * @description State of the delivery.
             * @example FAILED
             */
            status: components["schemas"]["DeliveryStatus"];
            /**
             * Format: uuid
             * @description ID of the webhook.
             * @example 0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71
             */
            webhookId: string;
        };
        WebhookDeliveryLog: {
            /**
             * Format: int64
             * @description Number of attempts, including redeliveries.
             * @example 1
             */
            attemptCount: number;
            /** @description Attempts, oldest first. */
            attempts: components["schemas"]["DeliveryAttempt"][];
            /**
             * Format: date-time
             * @description Time of completion; null while the delivery is PENDING.
             * @example 2026-03-01T07:00:00.000Z
             */
            completedAt: string | null;
            /**
             * Format: date-time
             * @description Time at which the delivery was created, moments after the event or by a replay.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /**
             * @description ID of the event: id of the envelope, and X-Service-Delivery of every attempt.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            eventId: string;
            /**
             * @description Type of the event.
             * @example post.published
             */
            eventType: string;
            /**
             * Format: uuid
             * @description ID of the delivery.
             * @example 0190a3cc-8279-7ee0-91bb-c08e9d02b1c6
             */
            id: string;
            /**
             * Format: date-time
             * @description Time of the next attempt. Null if there is none, and while the delivery is queued: an endpoint receives at most 4 concurrent requests, and one while it fails.
             * @example 2026-03-01T07:00:00.000Z
             */
            nextAttemptAt: string | null;
            /**
             * @description State of the delivery.
             * @example FAILED
             */
            status: components["schemas"]["DeliveryStatus"];
            /**
             * Format: uuid
             * @description ID of the webhook.
             * @example 0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71
             */
            webhookId: string;
        };
        WebhookDeliveryPage: {
            /** @description Deliveries, newest first. */
            data: components["schemas"]["WebhookDelivery"][];
            /**
             * @description Cursor of the next page; null on the last page.
             * @example AQGQo8YsE356m1VqLj1MW2BvQ2k3c1R5bWx3aGVyZQ
             */
            nextCursor: string | null;
        };
        /** @description An event that is sent to webhooks. */
        WebhookEvent: components["schemas"]["PostCreatedEvent"] | components["schemas"]["PostScheduledEvent"] | components["schemas"]["PostUnscheduledEvent"] | components["schemas"]["PostUpdatedEvent"] | components["schemas"]["PostPublishedEvent"] | components["schemas"]["PostPartFailedEvent"] | components["schemas"]["PostCompletedEvent"] | components["schemas"]["PostFailedEvent"] | components["schemas"]["PostDeletedEvent"] | components["schemas"]["PostApprovalRequestedEvent"] | components["schemas"]["PostApprovedEvent"] | components["schemas"]["PostRejectedEvent"] | components["schemas"]["PostCommentedEvent"] | components["schemas"]["ChannelConnectedEvent"] | components["schemas"]["ChannelDisconnectedEvent"] | components["schemas"]["ChannelAccessLostEvent"] | components["schemas"]["ChannelAccessRestoredEvent"] | components["schemas"]["ChannelExpiringEvent"] | components["schemas"]["MediaReadyEvent"] | components["schemas"]["MediaFailedEvent"] | components["schemas"]["LeadCreatedEvent"] | components["schemas"]["LeadStageChangedEvent"] | components["schemas"]["WebhookTestEvent"];
        WebhookList: {
            /** @description Webhooks, oldest first. A workspace has at most 20, in a single page. */
            data: components["schemas"]["Webhook"][];
            /**
             * @description Always null.
             * @example null
             */
            nextCursor: string | null;
        };
        WebhookReplay: {
            /**
             * Format: date-time
             * @description Time at which the replay ended; null while it is RUNNING.
             * @example 2026-03-01T07:00:00.000Z
             */
            completedAt: string | null;
            /**
             * Format: date-time
             * @description Time at which the replay was started.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: uuid
             * @description ID of the replay.
             * @example 0190a3cd-938a-7ff1-82cc-d19fae13c2d7
             */
            id: string;
            /** @description failed: only events that were not delivered. all: also events that were delivered. */
            only: components["schemas"]["StartReplayOnly"];
            /**
             * Format: int64
             * @description Number of deliveries queued so far.
             * @example 42
             */
            queued: number;
            /**
             * Format: date-time
             * @description Start of the time range, inclusive.
             * @example 2026-03-01T07:00:00.000Z
             */
            since: string;
            /**
             * @description RUNNING: the replay is selecting events. COMPLETED: all selected events are queued, after new events. CANCELLED: the webhook was disabled. Tolerate new values.
             * @example COMPLETED
             */
            status: string;
            /**
             * Format: date-time
             * @description End of the time range, exclusive.
             * @example 2026-03-01T07:00:00.000Z
             */
            until: string;
            /**
             * Format: uuid
             * @description ID of the webhook.
             * @example 0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71
             */
            webhookId: string;
        };
        WebhookTest: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /**
             * @description ID of the event: id of the envelope, and X-Service-Delivery of every attempt.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            eventId: string;
            /**
             * @description Type of the event.
             * @example webhook.test
             */
            type: string;
            /**
             * Format: uuid
             * @description ID of the webhook that receives the event.
             * @example 0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71
             */
            webhookId: string;
        };
        /**
         * A webhook was tested
         * @description Sent when the test operation of this webhook is called. Sent only to this webhook, regardless of its subscriptions.
         * @example {
         *       "createdAt": "2026-03-01T07:00:00.000Z",
         *       "data": {
         *         "message": "This is a test event; the signature and the headers are those of every delivery.",
         *         "webhookId": "0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71"
         *       },
         *       "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
         *       "sequence": 1207,
         *       "type": "webhook.test",
         *       "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
         *     }
         */
        WebhookTestEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /** @description Data of the event. */
            data: components["schemas"]["WebhookTestEventData"];
            /**
             * @description ID of the event, the same for every attempt. Use it to detect duplicates.
             * @example evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82
             */
            id: string;
            /**
             * @description test in events of a test workspace; absent in others.
             * @example test
             * @enum {string}
             */
            mode?: "test";
            /**
             * Format: int64
             * @description Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the later one has the higher number.
             * @example 1207
             */
            sequence: number;
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "webhook.test";
            /**
             * Format: uuid
             * @description ID of the event's workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            workspaceId: string;
        };
        WebhookTestEventData: {
            /**
             * @description Explanation of the event.
             * @example This is a test event.
             */
            message: string;
            /**
             * Format: uuid
             * @description ID of the tested webhook.
             * @example 0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71
             */
            webhookId: string;
        };
        Workspace: {
            /**
             * @description Approval policy of the workspace.
             * @example OPTIONAL
             */
            approvalPolicy: components["schemas"]["ApprovalPolicy"];
            /**
             * Format: date-time
             * @description Time at which the workspace was created.
             * @example 2026-03-01T07:00:00.000Z
             */
            createdAt: string;
            /**
             * @description Scopes of the credential of this request.
             * @example [
             *       "channels:read",
             *       "posts:write"
             *     ]
             */
            grantedScopes: components["schemas"]["Scope"][];
            /**
             * Format: uuid
             * @description ID of the workspace.
             * @example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10
             */
            id: string;
            /** @description Mode of the workspace: live, or test for the workspace of a test key, whose channels reach no network. */
            mode: components["schemas"]["WorkspaceMode"];
            /**
             * @description Name of the workspace.
             * @example Acme Marketing
             */
            name: string;
            /**
             * @description Plan of the workspace, which determines its quotas.
             * @example GROWTH
             */
            plan: components["schemas"]["Plan"];
            /**
             * @description IANA time zone of the workspace.
             * @example Europe/Berlin
             */
            timezone: string;
            /** @description Usage of the plan. */
            usage: components["schemas"]["Usage"];
        };
        WorkspaceAnalytics: {
            /**
             * Format: double
             * @description Engagements ÷ impressions (or reach, for days without impressions) over the days that have both figures. A ratio: 0.05 is 5 %.
             * @example 0.048
             */
            averageEngagementRate: number | null;
            /** @description The channels of the workspace, oldest first. */
            channels: components["schemas"]["ChannelStanding"][];
            /**
             * Format: int64
             * @description Increase of comments in the range.
             * @example 37
             */
            comments: number | null;
            /**
             * Format: date
             * @description First day of the range.
             * @example 2026-02-01
             */
            from: string;
            /**
             * Format: int64
             * @description Increase of likes in the range.
             * @example 412
             */
            likes: number | null;
            /**
             * Format: int64
             * @description Number of posts published in the range.
             * @example 24
             */
            postsPublished: number;
            /**
             * Format: int64
             * @description Increase of shares in the range.
             * @example 19
             */
            shares: number | null;
            /**
             * Format: date
             * @description Last day of the range, inclusive.
             * @example 2026-03-02
             */
            to: string;
            /**
             * Format: int64
             * @description Followers of all channels: the sum of the last count of each channel in or before the range.
             * @example 1830
             */
            totalFollowers: number | null;
        };
        /**
         * @description Mode of the workspace: live, or test for the workspace of a test key, whose channels reach no network. One of live, test. Tolerate new values.
         * @example live
         */
        WorkspaceMode: "live" | "test" | (string & {});
    };
    responses: {
        /** @description Approval required: [`APPROVAL_REQUIRED`](/problems/approval-required) · External ID in use: [`EXTERNAL_ID_IN_USE`](/problems/external-id-in-use) · First request still running: [`IDEMPOTENCY_IN_PROGRESS`](/problems/idempotency-in-progress) */
        ApprovalRequiredOrExternalIdInUseOrIdempotencyInProgress: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Validation failed: [`VALIDATION_FAILED`](/problems/validation-failed) · Channel is not connected: [`CHANNEL_DISCONNECTED`](/problems/channel-disconnected) · Channel of another platform: [`CHANNEL_TYPE_MISMATCH`](/problems/channel-type-mismatch) */
        ChannelDisconnectedOrChannelTypeMismatchOrValidationFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Acknowledges the event if it arrives within 15 seconds. */
        EventTaken: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description Fails the attempt; the delivery is retried. Redirects are not followed. 410 disables the webhook at once. */
        EventTriedAgain: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description First request still running: [`IDEMPOTENCY_IN_PROGRESS`](/problems/idempotency-in-progress) */
        IdempotencyInProgress: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Invalid state: [`INVALID_STATE`](/problems/invalid-state) · First request still running: [`IDEMPOTENCY_IN_PROGRESS`](/problems/idempotency-in-progress) */
        IdempotencyInProgressOrInvalidState: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Invalid state: [`INVALID_STATE`](/problems/invalid-state) · Publishing in progress: [`PUBLISH_IN_PROGRESS`](/problems/publish-in-progress) · First request still running: [`IDEMPOTENCY_IN_PROGRESS`](/problems/idempotency-in-progress) */
        IdempotencyInProgressOrInvalidStateOrPublishInProgress: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description First request still running: [`IDEMPOTENCY_IN_PROGRESS`](/problems/idempotency-in-progress) · Upload not received: [`UPLOAD_NOT_RECEIVED`](/problems/upload-not-received) */
        IdempotencyInProgressOrUploadNotReceived: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Validation failed: [`VALIDATION_FAILED`](/problems/validation-failed) · Idempotency key reused: [`IDEMPOTENCY_KEY_REUSED`](/problems/idempotency-key-reused) · Import failed: [`IMPORT_FAILED`](/problems/import-failed) */
        IdempotencyKeyReusedOrImportFailedOrValidationFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Validation failed: [`VALIDATION_FAILED`](/problems/validation-failed) · Idempotency key reused: [`IDEMPOTENCY_KEY_REUSED`](/problems/idempotency-key-reused) · Upload differs from its declaration: [`UPLOAD_MISMATCH`](/problems/upload-mismatch) */
        IdempotencyKeyReusedOrUploadMismatchOrValidationFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Validation failed: [`VALIDATION_FAILED`](/problems/validation-failed) · Idempotency key reused: [`IDEMPOTENCY_KEY_REUSED`](/problems/idempotency-key-reused) */
        IdempotencyKeyReusedOrValidationFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Scope missing: [`INSUFFICIENT_SCOPE`](/problems/insufficient-scope) */
        InsufficientScope: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Scope missing: [`INSUFFICIENT_SCOPE`](/problems/insufficient-scope) · Quota exceeded: [`QUOTA_EXCEEDED`](/problems/quota-exceeded) */
        InsufficientScopeOrQuotaExceeded: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Validation failed: [`VALIDATION_FAILED`](/problems/validation-failed) · Invalid cursor: [`INVALID_CURSOR`](/problems/invalid-cursor) */
        InvalidCursorOrValidationFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Invalid state: [`INVALID_STATE`](/problems/invalid-state) · Publishing in progress: [`PUBLISH_IN_PROGRESS`](/problems/publish-in-progress) */
        InvalidStateOrPublishInProgress: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Malformed request: [`MALFORMED_REQUEST`](/problems/malformed-request) */
        MalformedRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Media in use: [`MEDIA_IN_USE`](/problems/media-in-use) */
        MediaInUse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Not found: [`NOT_FOUND`](/problems/not-found) */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Changed meanwhile: [`PRECONDITION_FAILED`](/problems/precondition-failed) */
        PreconditionFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Not acceptable: [`NOT_ACCEPTABLE`](/problems/not-acceptable) · Request too large: [`PAYLOAD_TOO_LARGE`](/problems/payload-too-large) · Unsupported media type: [`UNSUPPORTED_MEDIA_TYPE`](/problems/unsupported-media-type) · Misdirected request: [`MISDIRECTED_REQUEST`](/problems/misdirected-request) · Internal error: [`INTERNAL`](/problems/internal) · Temporarily unavailable: [`UNAVAILABLE`](/problems/unavailable) */
        Problem: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Too many requests: [`RATE_LIMITED`](/problems/rate-limited) */
        RateLimited: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Not authenticated: [`UNAUTHENTICATED`](/problems/unauthenticated) */
        Unauthenticated: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Validation failed: [`VALIDATION_FAILED`](/problems/validation-failed) */
        ValidationFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
        "Idempotency-Key": string;
        /** @description The `ETag` of the version to change (RFC 9110, section 13.1.1). Returns 412 `PRECONDITION_FAILED` and changes nothing if the resource has another version. Omit it, or send `*`, to change any version. */
        "If-Match": string;
        /** @description The `ETag` of an earlier response (RFC 9110, section 13.1.2). If the resource has not changed since, the response is 304 without a body. */
        "If-None-Match": string;
        /** @description ID of the event, the same for every attempt. */
        "X-Service-Delivery": string;
        /** @description Type of the event. */
        "X-Service-Event": string;
        /** @description Signature of the event: the time, and one or more signatures. */
        "X-Service-Signature": string;
    };
    requestBodies: never;
    headers: {
        /** @description true if this is the stored response to an earlier request with the same Idempotency-Key; omitted otherwise. */
        "Idempotent-Replayed": string;
        /** @description Requests per minute that the credential may send, or the client's IP address when the request has no valid credential. */
        "RateLimit-Limit": number;
        /** @description Requests that remain at this moment. */
        "RateLimit-Remaining": number;
        /** @description Seconds until the full limit is available again. */
        "RateLimit-Reset": number;
        /** @description Seconds to wait before sending the request again. */
        "Retry-After": number;
        /** @description The missing credential or scope (RFC 6750). */
        "WWW-Authenticate": string;
        /** @description ID of the request: the X-Request-Id of the request if it is valid (up to 128 letters, digits, dots, underscores and hyphens), otherwise a new ID. */
        "X-Request-Id": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "get-channel-analytics": {
        parameters: {
            query?: {
                /** @description First day of the range, as 2026-02-01. Defaults to the day that makes the range 30 days long. */
                from?: string;
                /** @description Last day of the range, inclusive. Defaults to today in the workspace's time zone. */
                to?: string;
            };
            header?: never;
            path: {
                /** @description ID of the channel. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The analytics of the channel. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
                     *       "data": [
                     *         {
                     *           "date": "2026-03-01",
                     *           "engagementRate": 0.05,
                     *           "followers": 1830,
                     *           "impressions": 2400,
                     *           "profileViews": 85,
                     *           "reach": 1900,
                     *           "websiteClicks": 12
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ChannelAnalytics"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "get-post-analytics": {
        parameters: {
            query?: {
                /** @description First day of the range, as 2026-02-01. Without from and to, all snapshots are returned. With to alone, the range has 30 days. */
                from?: string;
                /** @description Last day of the range, inclusive. With from alone, today in the workspace's time zone. */
                to?: string;
            };
            header?: never;
            path: {
                /** @description ID of the post. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The analytics of the post. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "clicks": 21,
                     *           "comments": 7,
                     *           "date": "2026-03-01",
                     *           "impressions": 1400,
                     *           "likes": 60,
                     *           "reach": 1100,
                     *           "saves": 9,
                     *           "shares": 4,
                     *           "videoViews": null
                     *         }
                     *       ],
                     *       "latest": {
                     *         "clicks": 21,
                     *         "comments": 7,
                     *         "date": "2026-03-01",
                     *         "impressions": 1400,
                     *         "likes": 60,
                     *         "reach": 1100,
                     *         "saves": 9,
                     *         "shares": 4,
                     *         "videoViews": null
                     *       },
                     *       "postId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60"
                     *     }
                     */
                    "application/json": components["schemas"]["PostAnalytics"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "get-workspace-analytics": {
        parameters: {
            query?: {
                /** @description First day of the range, as 2026-02-01. Defaults to the day that makes the range 30 days long. */
                from?: string;
                /** @description Last day of the range, inclusive. Defaults to today in the workspace's time zone. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The analytics of the workspace. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "averageEngagementRate": 0.05,
                     *       "channels": [
                     *         {
                     *           "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
                     *           "collectedAt": "2026-03-01T05:00:00.000Z",
                     *           "comments": 37,
                     *           "engagementRate": 0.05,
                     *           "followers": 1830,
                     *           "likes": 412,
                     *           "name": "Acme News",
                     *           "postsPublished": 24,
                     *           "problem": null,
                     *           "shares": 19,
                     *           "type": "THREADS"
                     *         }
                     *       ],
                     *       "comments": 37,
                     *       "from": "2026-02-01",
                     *       "likes": 412,
                     *       "postsPublished": 24,
                     *       "shares": 19,
                     *       "to": "2026-03-02",
                     *       "totalFollowers": 1830
                     *     }
                     */
                    "application/json": components["schemas"]["WorkspaceAnalytics"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "list-channels": {
        parameters: {
            query?: {
                /** @description Returns only channels of one of these types. May be repeated. */
                type?: components["schemas"]["ChannelTypeInput"][];
                /** @description Returns only channels whose access to the network is in this state. */
                tokenStatus?: components["schemas"]["TokenStatusInput"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The channels. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "approvalPolicy": "OPTIONAL",
                     *         "avatar": null,
                     *         "capabilities": {
                     *           "analytics": true,
                     *           "deleteAfterPublish": true,
                     *           "editAfterPublish": true,
                     *           "publish": true
                     *         },
                     *         "createdAt": "2026-03-01T05:00:00.000Z",
                     *         "id": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
                     *         "isConnected": true,
                     *         "isQueuePaused": false,
                     *         "name": "Acme News",
                     *         "timezone": "Europe/Berlin",
                     *         "tokenStatus": "HEALTHY",
                     *         "type": "TELEGRAM_CHANNEL",
                     *         "username": "acme_news"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Channel"][];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "get-channel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the channel. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The channel. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approvalPolicy": "OPTIONAL",
                     *       "avatar": null,
                     *       "capabilities": {
                     *         "analytics": true,
                     *         "deleteAfterPublish": true,
                     *         "editAfterPublish": true,
                     *         "publish": true
                     *       },
                     *       "createdAt": "2026-03-01T05:00:00.000Z",
                     *       "id": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
                     *       "isConnected": true,
                     *       "isQueuePaused": false,
                     *       "name": "Acme News",
                     *       "timezone": "Europe/Berlin",
                     *       "tokenStatus": "HEALTHY",
                     *       "type": "TELEGRAM_CHANNEL",
                     *       "username": "acme_news"
                     *     }
                     */
                    "application/json": components["schemas"]["Channel"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "list-pinterest-boards": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the channel. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The boards. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "549755885175",
                     *         "name": "Tiles",
                     *         "pinCount": 42,
                     *         "privacy": "PUBLIC"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["PinterestBoard"][];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ChannelDisconnectedOrChannelTypeMismatchOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "get-channel-quota": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the channel. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The quota. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "limit": 250,
                     *       "remaining": 238,
                     *       "resetsAt": "2026-03-01T18:00:00.000Z",
                     *       "used": 12,
                     *       "window": "PT24H"
                     *     }
                     */
                    "application/json": components["schemas"]["Quota"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "get-channel-schedule": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the channel. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The posting schedule. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
                     *       "isQueuePaused": false,
                     *       "nextSlotAt": "2026-03-02T08:00:00.000Z",
                     *       "nextSlots": [
                     *         "2026-03-02T08:00:00.000Z",
                     *         "2026-03-05T16:30:00.000Z"
                     *       ],
                     *       "slots": [
                     *         {
                     *           "time": "09:00",
                     *           "weekday": "MONDAY"
                     *         },
                     *         {
                     *           "time": "17:30",
                     *           "weekday": "THURSDAY"
                     *         }
                     *       ],
                     *       "timezone": "Europe/Berlin"
                     *     }
                     */
                    "application/json": components["schemas"]["ChannelSchedule"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "get-tiktok-creator-info": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the channel. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The creator info of the account. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "avatarUrl": null,
                     *       "commentDisabled": false,
                     *       "duetDisabled": true,
                     *       "maxVideoDurationSec": 600,
                     *       "nickname": "Acme",
                     *       "privacyLevelOptions": [
                     *         "PUBLIC_TO_EVERYONE",
                     *         "MUTUAL_FOLLOW_FRIENDS",
                     *         "SELF_ONLY"
                     *       ],
                     *       "stitchDisabled": false
                     *     }
                     */
                    "application/json": components["schemas"]["CreatorInfo"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ChannelDisconnectedOrChannelTypeMismatchOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "list-events": {
        parameters: {
            query?: {
                /** @description Returns only events of this type; * matches every type. */
                type?: components["schemas"]["EventTypeInput"];
                /** @description Returns only events created at this time or later: RFC 3339 with an offset, a plus written as %2B. */
                from?: string;
                /** @description Returns only events created before this time. */
                to?: string;
                /** @description Order of the log: seq is oldest first, -seq newest first. To poll, use seq. */
                sort?: "seq" | "-seq";
                /** @description Maximum number of entries per page. */
                limit?: number;
                /** @description The nextCursor of the previous page, with the same filters and sort. Omit it for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "createdAt": "2026-03-01T07:00:00.000Z",
                     *           "data": {
                     *             "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
                     *             "error": null,
                     *             "postId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
                     *             "postUrl": "https://t.me/acme_news/42",
                     *             "publishedAt": "2026-03-01T07:00:00.000Z",
                     *             "status": "PUBLISHED"
                     *           },
                     *           "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
                     *           "sequence": 1207,
                     *           "type": "post.published",
                     *           "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
                     *         }
                     *       ],
                     *       "hasMore": false,
                     *       "nextCursor": "AQGQo8YsE356m1VqLj1MW2BvQ2k3c1R5bWx3aGVyZQ"
                     *     }
                     */
                    "application/json": components["schemas"]["EventPage"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            422: components["responses"]["InvalidCursorOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "get-event": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the event, including the prefix evt_. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "createdAt": "2026-03-01T07:00:00.000Z",
                     *       "data": {
                     *         "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
                     *         "error": null,
                     *         "postId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
                     *         "postUrl": "https://t.me/acme_news/42",
                     *         "publishedAt": "2026-03-01T07:00:00.000Z",
                     *         "status": "PUBLISHED"
                     *       },
                     *       "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
                     *       "sequence": 1207,
                     *       "type": "post.published",
                     *       "workspaceId": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
                     *     }
                     */
                    "application/json": components["schemas"]["LoggedEvent"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "list-idea-boards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The boards. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "cardCount": 1,
                     *           "columns": [
                     *             {
                     *               "cardCount": 1,
                     *               "id": "0190a3cf-b5ac-7123-a4ee-f3b1c035e4f9",
                     *               "name": "Ideas"
                     *             },
                     *             {
                     *               "cardCount": 0,
                     *               "id": "0190a3cf-b5ad-7d44-8e0f-63b0d1f2a774",
                     *               "name": "In progress"
                     *             }
                     *           ],
                     *           "createdAt": "2026-03-01T05:00:00.000Z",
                     *           "id": "0190a3ce-a49b-7012-93dd-e2a0bf24d3e8",
                     *           "labels": [
                     *             {
                     *               "color": "#6a1b9a",
                     *               "id": "0190a3d0-c6bd-7234-b5ff-04c2d146f50a",
                     *               "name": "Behind the scenes"
                     *             }
                     *           ],
                     *           "name": "Ideas",
                     *           "updatedAt": "2026-03-01T06:00:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["IdeaBoardList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "get-idea-board": {
        parameters: {
            query?: {
                /** @description Maximum number of cards in the response. */
                limit?: number;
                /** @description The nextCursor of the previous response. Omit it for the first cards. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description ID of the board. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The board. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "cardCount": 1,
                     *       "cards": [
                     *         {
                     *           "boardId": "0190a3ce-a49b-7012-93dd-e2a0bf24d3e8",
                     *           "columnId": "0190a3cf-b5ac-7123-a4ee-f3b1c035e4f9",
                     *           "content": "Three photos, then the first firing as a reel.",
                     *           "createdAt": "2026-03-01T06:00:00.000Z",
                     *           "id": "0190a3d1-d7ce-7345-8610-15d3e25706fb",
                     *           "labelIds": [
                     *             "0190a3d0-c6bd-7234-b5ff-04c2d146f50a"
                     *           ],
                     *           "link": "https://example.com/ceramics-trends",
                     *           "mediaIds": [
                     *             "0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93"
                     *           ],
                     *           "position": 0,
                     *           "title": "Behind the scenes: the new kiln",
                     *           "updatedAt": "2026-03-01T06:00:00.000Z"
                     *         }
                     *       ],
                     *       "columns": [
                     *         {
                     *           "cardCount": 1,
                     *           "id": "0190a3cf-b5ac-7123-a4ee-f3b1c035e4f9",
                     *           "name": "Ideas"
                     *         },
                     *         {
                     *           "cardCount": 0,
                     *           "id": "0190a3cf-b5ad-7d44-8e0f-63b0d1f2a774",
                     *           "name": "In progress"
                     *         }
                     *       ],
                     *       "createdAt": "2026-03-01T05:00:00.000Z",
                     *       "id": "0190a3ce-a49b-7012-93dd-e2a0bf24d3e8",
                     *       "labels": [
                     *         {
                     *           "color": "#6a1b9a",
                     *           "id": "0190a3d0-c6bd-7234-b5ff-04c2d146f50a",
                     *           "name": "Behind the scenes"
                     *         }
                     *       ],
                     *       "name": "Ideas",
                     *       "nextCursor": null,
                     *       "updatedAt": "2026-03-01T06:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["IdeaBoardCards"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["InvalidCursorOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "create-idea-card": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description ID of the board. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateIdeaCardRequest"];
            };
        };
        responses: {
            /** @description The card. */
            201: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location?: string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdeaCard"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrQuotaExceeded"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyInProgress"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "list-link-pages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link pages. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "blockCount": 1,
                     *           "createdAt": "2026-03-01T06:00:00.000Z",
                     *           "handle": "mara-weber",
                     *           "hasUnpublishedChanges": false,
                     *           "id": "0190a3d1-d7ce-7b35-86bf-25b3fe57d61b",
                     *           "publishedAt": "2026-03-01T07:00:00.000Z",
                     *           "publishedUrl": "https://pages.example.com/mara-weber",
                     *           "revision": 3,
                     *           "status": "PUBLISHED",
                     *           "title": "Mara Weber",
                     *           "updatedAt": "2026-03-01T07:00:00.000Z",
                     *           "url": "https://pages.example.com/mara-weber"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["LinkPageList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "create-link-page": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateLinkPageRequest"];
            };
        };
        responses: {
            /** @description The page, as a draft without blocks. */
            201: {
                headers: {
                    ETag?: string;
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location?: string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkPage"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrQuotaExceeded"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyInProgress"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "get-link-page": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of an earlier response (RFC 9110, section 13.1.2). If the resource has not changed since, the response is 304 without a body. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description Id of the link page. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    ETag?: string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "bio": "Ceramics from Leipzig",
                     *       "blocks": [
                     *         {
                     *           "id": "0190a3d2-e8df-7c46-97d0-36c40f68e72c",
                     *           "isVisible": true,
                     *           "settings": {
                     *             "description": "New bowls every Friday",
                     *             "featured": true,
                     *             "imageMediaId": null,
                     *             "title": "Shop",
                     *             "url": "https://shop.example.com/spring"
                     *           },
                     *           "showFrom": null,
                     *           "showUntil": null,
                     *           "type": "LINK"
                     *         }
                     *       ],
                     *       "createdAt": "2026-03-01T06:00:00.000Z",
                     *       "handle": "mara-weber",
                     *       "hasUnpublishedChanges": false,
                     *       "id": "0190a3d1-d7ce-7b35-86bf-25b3fe57d61b",
                     *       "published": {
                     *         "bio": "Ceramics from Leipzig",
                     *         "blocks": [
                     *           {
                     *             "id": "0190a3d2-e8df-7c46-97d0-36c40f68e72c",
                     *             "isVisible": true,
                     *             "settings": {
                     *               "description": "New bowls every Friday",
                     *               "featured": true,
                     *               "imageMediaId": null,
                     *               "title": "Shop",
                     *               "url": "https://shop.example.com/spring"
                     *             },
                     *             "showFrom": null,
                     *             "showUntil": null,
                     *             "type": "LINK"
                     *           }
                     *         ],
                     *         "handle": "mara-weber",
                     *         "publishedAt": "2026-03-01T07:00:00.000Z",
                     *         "seo": {
                     *           "description": null,
                     *           "imageMediaId": null,
                     *           "noIndex": false,
                     *           "title": null
                     *         },
                     *         "theme": {
                     *           "accentColor": "#0b7189",
                     *           "appearance": "AUTO",
                     *           "avatarMediaId": null,
                     *           "name": "OCEAN"
                     *         },
                     *         "title": "Mara Weber",
                     *         "url": "https://pages.example.com/mara-weber",
                     *         "version": 1
                     *       },
                     *       "revision": 3,
                     *       "seo": {
                     *         "description": null,
                     *         "imageMediaId": null,
                     *         "noIndex": false,
                     *         "title": null
                     *       },
                     *       "status": "PUBLISHED",
                     *       "theme": {
                     *         "accentColor": "#0b7189",
                     *         "appearance": "AUTO",
                     *         "avatarMediaId": null,
                     *         "name": "OCEAN"
                     *       },
                     *       "title": "Mara Weber",
                     *       "updatedAt": "2026-03-01T07:00:00.000Z",
                     *       "url": "https://pages.example.com/mara-weber"
                     *     }
                     */
                    "application/json": components["schemas"]["LinkPage"];
                };
            };
            /** @description Not modified: If-None-Match has the current ETag. */
            304: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "delete-link-page": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change (RFC 9110, section 13.1.1). Returns 412 `PRECONDITION_FAILED` and changes nothing if the resource has another version. Omit it, or send `*`, to change any version. */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description Id of the link page. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page is deleted. */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "update-link-page": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The `ETag` of the version to change (RFC 9110, section 13.1.1). Returns 412 `PRECONDITION_FAILED` and changes nothing if the resource has another version. Omit it, or send `*`, to change any version. */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description Id of the link page. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateLinkPageRequest"];
            };
        };
        responses: {
            /** @description The changed page. */
            200: {
                headers: {
                    ETag?: string;
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkPage"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyInProgress"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "get-link-page-analytics": {
        parameters: {
            query?: {
                /** @description First day, in UTC, such as 2026-02-01. Default: the start of a range of 30 days. */
                from?: string;
                /** @description Last day, in UTC, inclusive. Default: today. */
                to?: string;
            };
            header?: never;
            path: {
                /** @description Id of the link page. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The visits of the page. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "blocks": [
                     *         {
                     *           "blockId": "0190a3d2-e8df-7c46-97d0-36c40f68e72c",
                     *           "clicks": 12,
                     *           "data": [
                     *             {
                     *               "clicks": 5,
                     *               "date": "2026-02-28"
                     *             },
                     *             {
                     *               "clicks": 7,
                     *               "date": "2026-03-01"
                     *             }
                     *           ],
                     *           "label": "Shop",
                     *           "type": "LINK"
                     *         }
                     *       ],
                     *       "clicks": 12,
                     *       "data": [
                     *         {
                     *           "clicks": 5,
                     *           "date": "2026-02-28",
                     *           "uniqueVisitors": 28,
                     *           "views": 34
                     *         },
                     *         {
                     *           "clicks": 7,
                     *           "date": "2026-03-01",
                     *           "uniqueVisitors": 33,
                     *           "views": 41
                     *         }
                     *       ],
                     *       "from": "2026-02-28",
                     *       "linkPageId": "0190a3d1-d7ce-7b35-86bf-25b3fe57d61b",
                     *       "to": "2026-03-01",
                     *       "uniqueVisitors": 61,
                     *       "views": 75
                     *     }
                     */
                    "application/json": components["schemas"]["LinkPageAnalytics"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrQuotaExceeded"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "add-link-block": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The `ETag` of the version to change (RFC 9110, section 13.1.1). Returns 412 `PRECONDITION_FAILED` and changes nothing if the resource has another version. Omit it, or send `*`, to change any version. */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description Id of the link page. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddLinkPageBlockRequest"];
            };
        };
        responses: {
            /** @description The block. */
            201: {
                headers: {
                    ETag?: string;
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location?: string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkPageBlock"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyInProgress"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "order-link-blocks": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change (RFC 9110, section 13.1.1). Returns 412 `PRECONDITION_FAILED` and changes nothing if the resource has another version. Omit it, or send `*`, to change any version. */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description Id of the link page. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderLinkBlocksRequest"];
            };
        };
        responses: {
            /** @description The changed page. */
            200: {
                headers: {
                    ETag?: string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkPage"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "delete-link-block": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change (RFC 9110, section 13.1.1). Returns 412 `PRECONDITION_FAILED` and changes nothing if the resource has another version. Omit it, or send `*`, to change any version. */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description Id of the link page. */
                id: string;
                /** @description Id of the block. */
                blockId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The block is deleted. */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "update-link-block": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The `ETag` of the version to change (RFC 9110, section 13.1.1). Returns 412 `PRECONDITION_FAILED` and changes nothing if the resource has another version. Omit it, or send `*`, to change any version. */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description Id of the link page. */
                id: string;
                /** @description Id of the block. */
                blockId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateLinkPageBlockRequest"];
            };
        };
        responses: {
            /** @description The changed block. */
            200: {
                headers: {
                    ETag?: string;
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkPageBlock"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyInProgress"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "publish-link-page": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The `ETag` of the version to change (RFC 9110, section 13.1.1). Returns 412 `PRECONDITION_FAILED` and changes nothing if the resource has another version. Omit it, or send `*`, to change any version. */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description Id of the link page. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The published page. */
            200: {
                headers: {
                    ETag?: string;
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "bio": "Ceramics from Leipzig",
                     *       "blocks": [
                     *         {
                     *           "id": "0190a3d2-e8df-7c46-97d0-36c40f68e72c",
                     *           "isVisible": true,
                     *           "settings": {
                     *             "description": "New bowls every Friday",
                     *             "featured": true,
                     *             "imageMediaId": null,
                     *             "title": "Shop",
                     *             "url": "https://shop.example.com/spring"
                     *           },
                     *           "showFrom": null,
                     *           "showUntil": null,
                     *           "type": "LINK"
                     *         }
                     *       ],
                     *       "createdAt": "2026-03-01T06:00:00.000Z",
                     *       "handle": "mara-weber",
                     *       "hasUnpublishedChanges": false,
                     *       "id": "0190a3d1-d7ce-7b35-86bf-25b3fe57d61b",
                     *       "published": {
                     *         "bio": "Ceramics from Leipzig",
                     *         "blocks": [
                     *           {
                     *             "id": "0190a3d2-e8df-7c46-97d0-36c40f68e72c",
                     *             "isVisible": true,
                     *             "settings": {
                     *               "description": "New bowls every Friday",
                     *               "featured": true,
                     *               "imageMediaId": null,
                     *               "title": "Shop",
                     *               "url": "https://shop.example.com/spring"
                     *             },
                     *             "showFrom": null,
                     *             "showUntil": null,
                     *             "type": "LINK"
                     *           }
                     *         ],
                     *         "handle": "mara-weber",
                     *         "publishedAt": "2026-03-01T07:00:00.000Z",
                     *         "seo": {
                     *           "description": null,
                     *           "imageMediaId": null,
                     *           "noIndex": false,
                     *           "title": null
                     *         },
                     *         "theme": {
                     *           "accentColor": "#0b7189",
                     *           "appearance": "AUTO",
                     *           "avatarMediaId": null,
                     *           "name": "OCEAN"
                     *         },
                     *         "title": "Mara Weber",
                     *         "url": "https://pages.example.com/mara-weber",
                     *         "version": 1
                     *       },
                     *       "revision": 3,
                     *       "seo": {
                     *         "description": null,
                     *         "imageMediaId": null,
                     *         "noIndex": false,
                     *         "title": null
                     *       },
                     *       "status": "PUBLISHED",
                     *       "theme": {
                     *         "accentColor": "#0b7189",
                     *         "appearance": "AUTO",
                     *         "avatarMediaId": null,
                     *         "name": "OCEAN"
                     *       },
                     *       "title": "Mara Weber",
                     *       "updatedAt": "2026-03-01T07:00:00.000Z",
                     *       "url": "https://pages.example.com/mara-weber"
                     *     }
                     */
                    "application/json": components["schemas"]["LinkPage"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyInProgress"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "unpublish-link-page": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The `ETag` of the version to change (RFC 9110, section 13.1.1). Returns 412 `PRECONDITION_FAILED` and changes nothing if the resource has another version. Omit it, or send `*`, to change any version. */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description Id of the link page. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page, as a draft. */
            200: {
                headers: {
                    ETag?: string;
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "bio": "Ceramics from Leipzig",
                     *       "blocks": [],
                     *       "createdAt": "2026-03-01T06:00:00.000Z",
                     *       "handle": "mara-weber",
                     *       "hasUnpublishedChanges": true,
                     *       "id": "0190a3d1-d7ce-7b35-86bf-25b3fe57d61b",
                     *       "published": null,
                     *       "revision": 1,
                     *       "seo": {
                     *         "description": null,
                     *         "imageMediaId": null,
                     *         "noIndex": false,
                     *         "title": null
                     *       },
                     *       "status": "DRAFT",
                     *       "theme": {
                     *         "accentColor": "#0b7189",
                     *         "appearance": "AUTO",
                     *         "avatarMediaId": null,
                     *         "name": "OCEAN"
                     *       },
                     *       "title": "Mara Weber",
                     *       "updatedAt": "2026-03-01T07:00:00.000Z",
                     *       "url": "https://pages.example.com/mara-weber"
                     *     }
                     */
                    "application/json": components["schemas"]["LinkPage"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyInProgressOrInvalidState"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "list-media": {
        parameters: {
            query?: {
                /** @description Returns only assets of this kind. */
                type?: components["schemas"]["MediaTypeInput"];
                /** @description Returns only assets whose name, alternative text or labels have these words, as in the list of posts. */
                q?: string;
                /** @description If true, returns only assets that nothing refers to, which can be deleted. */
                unused?: "true";
                /** @description Returns only assets created at this time or later: RFC 3339 with an offset, a plus written as %2B. */
                createdFrom?: string;
                /** @description Returns only assets created before this time. */
                createdTo?: string;
                /** @description Maximum number of entries per page. */
                limit?: number;
                /** @description The nextCursor of the previous page, with the same filters and sort. Omit it for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of assets. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "altText": "Blue tiles on a wall",
                     *           "createdAt": "2026-03-01T06:00:00.000Z",
                     *           "id": "0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93",
                     *           "name": "spring.jpg",
                     *           "size": 184320,
                     *           "thumbnailUrl": "https://media.example.com/media/9xk?X-Amz-Expires=86400&X-Amz-Signature=77ab",
                     *           "type": "IMAGE",
                     *           "url": "https://media.example.com/media/3vq?X-Amz-Expires=86400&X-Amz-Signature=5d1f"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["MediaPage"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            422: components["responses"]["InvalidCursorOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "import-media": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportMediaRequest"];
            };
        };
        responses: {
            /** @description The asset, without its thumbnail. */
            201: {
                headers: {
                    ETag?: string;
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location?: string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Media"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrQuotaExceeded"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyInProgress"];
            422: components["responses"]["IdempotencyKeyReusedOrImportFailedOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "start-upload": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartUploadRequest"];
            };
        };
        responses: {
            /** @description The upload. */
            201: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location?: string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaUpload"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrQuotaExceeded"];
            409: components["responses"]["IdempotencyInProgress"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "complete-upload": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The mediaId of the upload. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The asset, without its thumbnail. */
            200: {
                headers: {
                    ETag?: string;
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "altText": null,
                     *       "createdAt": "2026-03-01T06:00:00.000Z",
                     *       "id": "0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93",
                     *       "name": "spring.jpg",
                     *       "size": 184320,
                     *       "thumbnailUrl": null,
                     *       "type": "IMAGE",
                     *       "url": "https://media.example.com/media/3vq?X-Amz-Expires=86400&X-Amz-Signature=5d1f"
                     *     }
                     */
                    "application/json": components["schemas"]["Media"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyInProgressOrUploadNotReceived"];
            422: components["responses"]["IdempotencyKeyReusedOrUploadMismatchOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "get-media": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the asset. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The asset. */
            200: {
                headers: {
                    ETag?: string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "altText": "Blue tiles on a wall",
                     *       "createdAt": "2026-03-01T06:00:00.000Z",
                     *       "id": "0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93",
                     *       "name": "spring.jpg",
                     *       "size": 184320,
                     *       "thumbnailUrl": "https://media.example.com/media/9xk?X-Amz-Expires=86400&X-Amz-Signature=77ab",
                     *       "type": "IMAGE",
                     *       "url": "https://media.example.com/media/3vq?X-Amz-Expires=86400&X-Amz-Signature=5d1f"
                     *     }
                     */
                    "application/json": components["schemas"]["Media"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "delete-media": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change (RFC 9110, section 13.1.1). Returns 412 `PRECONDITION_FAILED` and changes nothing if the resource has another version. Omit it, or send `*`, to change any version. */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description ID of the asset. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The asset is deleted. */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["MediaInUse"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "edit-media": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The `ETag` of the version to change (RFC 9110, section 13.1.1). Returns 412 `PRECONDITION_FAILED` and changes nothing if the resource has another version. Omit it, or send `*`, to change any version. */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description ID of the asset. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditMediaRequest"];
            };
        };
        responses: {
            /** @description The changed asset. */
            200: {
                headers: {
                    ETag?: string;
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Media"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyInProgress"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "get-openapi": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Not modified: If-None-Match names the current version. */
            304: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
        };
    };
    "list-posts": {
        parameters: {
            query?: {
                /** @description Returns only posts in one of these states. May be repeated. */
                status?: components["schemas"]["PostStatusInput"][];
                /** @description Returns only posts for one of these channels. May be repeated. */
                channelId?: string[];
                /** @description Returns only posts with one of these labels, in either case. May be repeated. */
                label?: string[];
                /** @description Returns only posts of this set. */
                groupId?: string;
                /** @description Returns only posts of this campaign. */
                campaignId?: string;
                /** @description Returns only posts with this externalId. */
                externalId?: string;
                /** @description Returns only posts whose content or title has each of these words, also as a part of a longer word, in either case. A word of one or two letters matches whole words only, except in Chinese, Japanese and Korean. At most 10 words. */
                q?: string;
                /** @description Returns only posts scheduled at this time or later: RFC 3339 with an offset, a plus written as %2B. */
                scheduledFrom?: string;
                /** @description Returns only posts scheduled before this time. */
                scheduledTo?: string;
                /** @description Returns only posts published at this time or later. */
                publishedFrom?: string;
                /** @description Returns only posts published before this time. */
                publishedTo?: string;
                /** @description Returns only posts changed at this time or later. */
                updatedSince?: string;
                /** @description Order of the list. Defaults to newest first. */
                sort?: components["schemas"]["PostSort"];
                /** @description Maximum number of entries per page. */
                limit?: number;
                /** @description The nextCursor of the previous page, with the same filters and sort. Omit it for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of posts. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "approval": null,
                     *           "campaignId": null,
                     *           "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
                     *           "confirmed": null,
                     *           "content": "Our spring collection is here.",
                     *           "contentType": "POST",
                     *           "createdAt": "2026-03-01T06:00:00.000Z",
                     *           "error": null,
                     *           "externalId": null,
                     *           "firstComment": null,
                     *           "groupId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
                     *           "id": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
                     *           "labels": [],
                     *           "mediaAltTexts": {},
                     *           "mediaIds": [],
                     *           "metadata": {},
                     *           "options": null,
                     *           "parts": [],
                     *           "partsState": null,
                     *           "postUrl": "https://t.me/acme_news/42",
                     *           "publishAfter": null,
                     *           "publishedAt": "2026-03-01T07:00:00.000Z",
                     *           "scheduledAt": "2026-03-01T07:00:00.000Z",
                     *           "status": "PUBLISHED",
                     *           "thread": [],
                     *           "title": null,
                     *           "updatedAt": "2026-03-01T07:00:00.000Z",
                     *           "waiting": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["PostPage"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            422: components["responses"]["InvalidCursorOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "create-posts": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePostsRequest"];
            };
        };
        responses: {
            /** @description The posts, one for each channel, in the order of `channelIds`. */
            201: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location?: string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Post"][];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ApprovalRequiredOrExternalIdInUseOrIdempotencyInProgress"];
            /** @description Validation failed: [`VALIDATION_FAILED`](/problems/validation-failed) · Channel cannot be published to: [`CHANNEL_NOT_PUBLISHABLE`](/problems/channel-not-publishable) · Channel is not connected: [`CHANNEL_DISCONNECTED`](/problems/channel-disconnected) · Time in the past: [`SCHEDULED_IN_PAST`](/problems/scheduled-in-past) · No free slot: [`NO_FREE_SLOT`](/problems/no-free-slot) · Queue paused: [`QUEUE_PAUSED`](/problems/queue-paused) · Idempotency key reused: [`IDEMPOTENCY_KEY_REUSED`](/problems/idempotency-key-reused) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "create-posts-in-bulk": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateBulkRequest"];
            };
        };
        responses: {
            /** @description The result of each item, in the order of the request. Also returned if every item failed. */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkItemResult"][];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            409: components["responses"]["IdempotencyInProgress"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "update-posts-in-bulk": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateBulkRequest"];
            };
        };
        responses: {
            /** @description The result of each item, in the order of the request. Also returned if every item failed. */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkUpdateResult"][];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            409: components["responses"]["IdempotencyInProgress"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "create-linkedin-post": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateLinkedInRequest"];
            };
        };
        responses: {
            /** @description The post. */
            201: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location?: string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Post"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ApprovalRequiredOrExternalIdInUseOrIdempotencyInProgress"];
            /** @description Validation failed: [`VALIDATION_FAILED`](/problems/validation-failed) · Channel cannot be published to: [`CHANNEL_NOT_PUBLISHABLE`](/problems/channel-not-publishable) · Channel is not connected: [`CHANNEL_DISCONNECTED`](/problems/channel-disconnected) · Time in the past: [`SCHEDULED_IN_PAST`](/problems/scheduled-in-past) · Channel of another platform: [`CHANNEL_TYPE_MISMATCH`](/problems/channel-type-mismatch) · No free slot: [`NO_FREE_SLOT`](/problems/no-free-slot) · Queue paused: [`QUEUE_PAUSED`](/problems/queue-paused) · Idempotency key reused: [`IDEMPOTENCY_KEY_REUSED`](/problems/idempotency-key-reused) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "create-pinterest-post": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePinterestRequest"];
            };
        };
        responses: {
            /** @description The post. */
            201: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location?: string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Post"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ApprovalRequiredOrExternalIdInUseOrIdempotencyInProgress"];
            /** @description Validation failed: [`VALIDATION_FAILED`](/problems/validation-failed) · Channel cannot be published to: [`CHANNEL_NOT_PUBLISHABLE`](/problems/channel-not-publishable) · Channel is not connected: [`CHANNEL_DISCONNECTED`](/problems/channel-disconnected) · Time in the past: [`SCHEDULED_IN_PAST`](/problems/scheduled-in-past) · Channel of another platform: [`CHANNEL_TYPE_MISMATCH`](/problems/channel-type-mismatch) · No free slot: [`NO_FREE_SLOT`](/problems/no-free-slot) · Queue paused: [`QUEUE_PAUSED`](/problems/queue-paused) · Idempotency key reused: [`IDEMPOTENCY_KEY_REUSED`](/problems/idempotency-key-reused) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "simulate-posts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SimulatePostsRequest"];
            };
        };
        responses: {
            /** @description The forecast of each post. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Simulation"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "create-tiktok-post": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTikTokRequest"];
            };
        };
        responses: {
            /** @description The post. */
            201: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location?: string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Post"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ApprovalRequiredOrExternalIdInUseOrIdempotencyInProgress"];
            /** @description Validation failed: [`VALIDATION_FAILED`](/problems/validation-failed) · Channel cannot be published to: [`CHANNEL_NOT_PUBLISHABLE`](/problems/channel-not-publishable) · Channel is not connected: [`CHANNEL_DISCONNECTED`](/problems/channel-disconnected) · Time in the past: [`SCHEDULED_IN_PAST`](/problems/scheduled-in-past) · Channel of another platform: [`CHANNEL_TYPE_MISMATCH`](/problems/channel-type-mismatch) · No free slot: [`NO_FREE_SLOT`](/problems/no-free-slot) · Queue paused: [`QUEUE_PAUSED`](/problems/queue-paused) · Idempotency key reused: [`IDEMPOTENCY_KEY_REUSED`](/problems/idempotency-key-reused) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "validate-posts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePostsRequest"];
            };
        };
        responses: {
            /** @description The findings for each channel. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Validation"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "create-youtube-post": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateYouTubeRequest"];
            };
        };
        responses: {
            /** @description The post. */
            201: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location?: string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Post"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ApprovalRequiredOrExternalIdInUseOrIdempotencyInProgress"];
            /** @description Validation failed: [`VALIDATION_FAILED`](/problems/validation-failed) · Channel cannot be published to: [`CHANNEL_NOT_PUBLISHABLE`](/problems/channel-not-publishable) · Channel is not connected: [`CHANNEL_DISCONNECTED`](/problems/channel-disconnected) · Time in the past: [`SCHEDULED_IN_PAST`](/problems/scheduled-in-past) · Channel of another platform: [`CHANNEL_TYPE_MISMATCH`](/problems/channel-type-mismatch) · No free slot: [`NO_FREE_SLOT`](/problems/no-free-slot) · Queue paused: [`QUEUE_PAUSED`](/problems/queue-paused) · Idempotency key reused: [`IDEMPOTENCY_KEY_REUSED`](/problems/idempotency-key-reused) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "get-post": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of an earlier response (RFC 9110, section 13.1.2). If the resource has not changed since, the response is 304 without a body. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description ID of the post. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The post. */
            200: {
                headers: {
                    ETag?: string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval": null,
                     *       "campaignId": null,
                     *       "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
                     *       "confirmed": null,
                     *       "content": "Our spring collection is here.",
                     *       "contentType": "POST",
                     *       "createdAt": "2026-03-01T06:00:00.000Z",
                     *       "error": null,
                     *       "externalId": null,
                     *       "firstComment": null,
                     *       "groupId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
                     *       "id": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
                     *       "labels": [],
                     *       "mediaAltTexts": {},
                     *       "mediaIds": [],
                     *       "metadata": {},
                     *       "options": null,
                     *       "parts": [],
                     *       "partsState": null,
                     *       "postUrl": null,
                     *       "publishAfter": null,
                     *       "publishedAt": null,
                     *       "scheduledAt": "2026-03-01T07:00:00.000Z",
                     *       "status": "SCHEDULED",
                     *       "thread": [],
                     *       "title": null,
                     *       "updatedAt": "2026-03-01T06:00:00.000Z",
                     *       "waiting": {
                     *         "reason": "time",
                     *         "until": "2026-03-01T07:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Post"];
                };
            };
            /** @description Not modified: If-None-Match has the current ETag. */
            304: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "delete-post": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change (RFC 9110, section 13.1.1). Returns 412 `PRECONDITION_FAILED` and changes nothing if the resource has another version. Omit it, or send `*`, to change any version. */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description ID of the post. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The post is deleted. */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidStateOrPublishInProgress"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "edit-post": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The `ETag` of the version to change (RFC 9110, section 13.1.1). Returns 412 `PRECONDITION_FAILED` and changes nothing if the resource has another version. Omit it, or send `*`, to change any version. */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description ID of the post. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditPostRequest"];
            };
        };
        responses: {
            /** @description The changed post. */
            200: {
                headers: {
                    ETag?: string;
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Post"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            /** @description Invalid state: [`INVALID_STATE`](/problems/invalid-state) · Approval required: [`APPROVAL_REQUIRED`](/problems/approval-required) · Publishing in progress: [`PUBLISH_IN_PROGRESS`](/problems/publish-in-progress) · External ID in use: [`EXTERNAL_ID_IN_USE`](/problems/external-id-in-use) · First request still running: [`IDEMPOTENCY_IN_PROGRESS`](/problems/idempotency-in-progress) */
            409: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            412: components["responses"]["PreconditionFailed"];
            /** @description Validation failed: [`VALIDATION_FAILED`](/problems/validation-failed) · Channel cannot be published to: [`CHANNEL_NOT_PUBLISHABLE`](/problems/channel-not-publishable) · Channel is not connected: [`CHANNEL_DISCONNECTED`](/problems/channel-disconnected) · Time in the past: [`SCHEDULED_IN_PAST`](/problems/scheduled-in-past) · Idempotency key reused: [`IDEMPOTENCY_KEY_REUSED`](/problems/idempotency-key-reused) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "approve-post": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The `ETag` of the version to change (RFC 9110, section 13.1.1). Returns 412 `PRECONDITION_FAILED` and changes nothing if the resource has another version. Omit it, or send `*`, to change any version. */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description ID of the post. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DecisionRequest"];
            };
        };
        responses: {
            /** @description The changed post. */
            200: {
                headers: {
                    ETag?: string;
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Post"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            /** @description Invalid state: [`INVALID_STATE`](/problems/invalid-state) · Approval required: [`APPROVAL_REQUIRED`](/problems/approval-required) · Publishing in progress: [`PUBLISH_IN_PROGRESS`](/problems/publish-in-progress) · First request still running: [`IDEMPOTENCY_IN_PROGRESS`](/problems/idempotency-in-progress) */
            409: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            412: components["responses"]["PreconditionFailed"];
            /** @description Validation failed: [`VALIDATION_FAILED`](/problems/validation-failed) · Channel cannot be published to: [`CHANNEL_NOT_PUBLISHABLE`](/problems/channel-not-publishable) · Channel is not connected: [`CHANNEL_DISCONNECTED`](/problems/channel-disconnected) · Idempotency key reused: [`IDEMPOTENCY_KEY_REUSED`](/problems/idempotency-key-reused) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "continue-parts": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The `ETag` of the version to change (RFC 9110, section 13.1.1). Returns 412 `PRECONDITION_FAILED` and changes nothing if the resource has another version. Omit it, or send `*`, to change any version. */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description ID of the post. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ContinuePartsRequest"];
            };
        };
        responses: {
            /** @description The changed post. */
            200: {
                headers: {
                    ETag?: string;
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Post"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            /** @description Invalid state: [`INVALID_STATE`](/problems/invalid-state) · Approval required: [`APPROVAL_REQUIRED`](/problems/approval-required) · Publishing in progress: [`PUBLISH_IN_PROGRESS`](/problems/publish-in-progress) · First request still running: [`IDEMPOTENCY_IN_PROGRESS`](/problems/idempotency-in-progress) */
            409: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            412: components["responses"]["PreconditionFailed"];
            /** @description Validation failed: [`VALIDATION_FAILED`](/problems/validation-failed) · Channel cannot be published to: [`CHANNEL_NOT_PUBLISHABLE`](/problems/channel-not-publishable) · Channel is not connected: [`CHANNEL_DISCONNECTED`](/problems/channel-disconnected) · Idempotency key reused: [`IDEMPOTENCY_KEY_REUSED`](/problems/idempotency-key-reused) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "publish-post": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The `ETag` of the version to change (RFC 9110, section 13.1.1). Returns 412 `PRECONDITION_FAILED` and changes nothing if the resource has another version. Omit it, or send `*`, to change any version. */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description ID of the post. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The changed post. */
            200: {
                headers: {
                    ETag?: string;
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval": null,
                     *       "campaignId": null,
                     *       "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
                     *       "confirmed": null,
                     *       "content": "Our spring collection is here.",
                     *       "contentType": "POST",
                     *       "createdAt": "2026-03-01T06:00:00.000Z",
                     *       "error": null,
                     *       "externalId": null,
                     *       "firstComment": null,
                     *       "groupId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
                     *       "id": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
                     *       "labels": [],
                     *       "mediaAltTexts": {},
                     *       "mediaIds": [],
                     *       "metadata": {},
                     *       "options": null,
                     *       "parts": [],
                     *       "partsState": null,
                     *       "postUrl": null,
                     *       "publishAfter": null,
                     *       "publishedAt": null,
                     *       "scheduledAt": "2026-03-01T07:00:00.000Z",
                     *       "status": "SCHEDULED",
                     *       "thread": [],
                     *       "title": null,
                     *       "updatedAt": "2026-03-01T06:00:00.000Z",
                     *       "waiting": {
                     *         "reason": "time",
                     *         "until": "2026-03-01T07:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Post"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            /** @description Invalid state: [`INVALID_STATE`](/problems/invalid-state) · Approval required: [`APPROVAL_REQUIRED`](/problems/approval-required) · Publishing in progress: [`PUBLISH_IN_PROGRESS`](/problems/publish-in-progress) · First request still running: [`IDEMPOTENCY_IN_PROGRESS`](/problems/idempotency-in-progress) */
            409: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            412: components["responses"]["PreconditionFailed"];
            /** @description Validation failed: [`VALIDATION_FAILED`](/problems/validation-failed) · Channel cannot be published to: [`CHANNEL_NOT_PUBLISHABLE`](/problems/channel-not-publishable) · Channel is not connected: [`CHANNEL_DISCONNECTED`](/problems/channel-disconnected) · Idempotency key reused: [`IDEMPOTENCY_KEY_REUSED`](/problems/idempotency-key-reused) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "reject-post": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The `ETag` of the version to change (RFC 9110, section 13.1.1). Returns 412 `PRECONDITION_FAILED` and changes nothing if the resource has another version. Omit it, or send `*`, to change any version. */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description ID of the post. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DecisionRequest"];
            };
        };
        responses: {
            /** @description The changed post. */
            200: {
                headers: {
                    ETag?: string;
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Post"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyInProgressOrInvalidStateOrPublishInProgress"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "request-post-approval": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The `ETag` of the version to change (RFC 9110, section 13.1.1). Returns 412 `PRECONDITION_FAILED` and changes nothing if the resource has another version. Omit it, or send `*`, to change any version. */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description ID of the post. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The changed post. */
            200: {
                headers: {
                    ETag?: string;
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval": {
                     *         "approvals": [],
                     *         "comment": null,
                     *         "decidedAt": null,
                     *         "policy": "OPTIONAL",
                     *         "status": "PENDING"
                     *       },
                     *       "campaignId": null,
                     *       "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
                     *       "confirmed": null,
                     *       "content": "Our spring collection is here.",
                     *       "contentType": "POST",
                     *       "createdAt": "2026-03-01T06:00:00.000Z",
                     *       "error": null,
                     *       "externalId": null,
                     *       "firstComment": null,
                     *       "groupId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
                     *       "id": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
                     *       "labels": [],
                     *       "mediaAltTexts": {},
                     *       "mediaIds": [],
                     *       "metadata": {},
                     *       "options": null,
                     *       "parts": [],
                     *       "partsState": null,
                     *       "postUrl": null,
                     *       "publishAfter": null,
                     *       "publishedAt": null,
                     *       "scheduledAt": null,
                     *       "status": "PENDING_APPROVAL",
                     *       "thread": [],
                     *       "title": null,
                     *       "updatedAt": "2026-03-01T06:00:00.000Z",
                     *       "waiting": null
                     *     }
                     */
                    "application/json": components["schemas"]["Post"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyInProgressOrInvalidStateOrPublishInProgress"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "schedule-post": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The `ETag` of the version to change (RFC 9110, section 13.1.1). Returns 412 `PRECONDITION_FAILED` and changes nothing if the resource has another version. Omit it, or send `*`, to change any version. */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description ID of the post. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SchedulePostRequest"];
            };
        };
        responses: {
            /** @description The changed post. */
            200: {
                headers: {
                    ETag?: string;
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Post"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            /** @description Invalid state: [`INVALID_STATE`](/problems/invalid-state) · Approval required: [`APPROVAL_REQUIRED`](/problems/approval-required) · Publishing in progress: [`PUBLISH_IN_PROGRESS`](/problems/publish-in-progress) · First request still running: [`IDEMPOTENCY_IN_PROGRESS`](/problems/idempotency-in-progress) */
            409: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            412: components["responses"]["PreconditionFailed"];
            /** @description Validation failed: [`VALIDATION_FAILED`](/problems/validation-failed) · Channel cannot be published to: [`CHANNEL_NOT_PUBLISHABLE`](/problems/channel-not-publishable) · Channel is not connected: [`CHANNEL_DISCONNECTED`](/problems/channel-disconnected) · Time in the past: [`SCHEDULED_IN_PAST`](/problems/scheduled-in-past) · No free slot: [`NO_FREE_SLOT`](/problems/no-free-slot) · Queue paused: [`QUEUE_PAUSED`](/problems/queue-paused) · Idempotency key reused: [`IDEMPOTENCY_KEY_REUSED`](/problems/idempotency-key-reused) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "get-post-timeline": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the post. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The timeline of the post. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "actor": "key svc_live_AbCd…",
                     *           "at": "2026-03-01T06:00:00.000Z",
                     *           "count": 1,
                     *           "detail": "Created as a draft.",
                     *           "kind": "created",
                     *           "lastAt": "2026-03-01T06:00:00.000Z",
                     *           "nextAt": null
                     *         },
                     *         {
                     *           "actor": "key svc_live_AbCd…",
                     *           "at": "2026-03-01T06:00:00.000Z",
                     *           "count": 1,
                     *           "detail": "Scheduled for 2026-03-01T07:00:00.000Z.",
                     *           "kind": "scheduled",
                     *           "lastAt": "2026-03-01T06:00:00.000Z",
                     *           "nextAt": null
                     *         },
                     *         {
                     *           "actor": "service",
                     *           "at": "2026-03-01T07:00:00.000Z",
                     *           "count": 1,
                     *           "detail": "Publish attempt 1 started.",
                     *           "kind": "attempt_started",
                     *           "lastAt": "2026-03-01T07:00:00.000Z",
                     *           "nextAt": null
                     *         },
                     *         {
                     *           "actor": "service",
                     *           "at": "2026-03-01T07:00:01.000Z",
                     *           "count": 4,
                     *           "detail": "The service looks for the post of attempt 1 on X. Next check at 2026-03-01T07:00:48.000Z.",
                     *           "kind": "waiting",
                     *           "lastAt": "2026-03-01T07:00:24.000Z",
                     *           "nextAt": "2026-03-01T07:00:48.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Timeline"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "unschedule-post": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The `ETag` of the version to change (RFC 9110, section 13.1.1). Returns 412 `PRECONDITION_FAILED` and changes nothing if the resource has another version. Omit it, or send `*`, to change any version. */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description ID of the post. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The changed post. */
            200: {
                headers: {
                    ETag?: string;
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval": null,
                     *       "campaignId": null,
                     *       "channelId": "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59",
                     *       "confirmed": null,
                     *       "content": "Our spring collection is here.",
                     *       "contentType": "POST",
                     *       "createdAt": "2026-03-01T06:00:00.000Z",
                     *       "error": null,
                     *       "externalId": null,
                     *       "firstComment": null,
                     *       "groupId": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
                     *       "id": "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",
                     *       "labels": [],
                     *       "mediaAltTexts": {},
                     *       "mediaIds": [],
                     *       "metadata": {},
                     *       "options": null,
                     *       "parts": [],
                     *       "partsState": null,
                     *       "postUrl": null,
                     *       "publishAfter": null,
                     *       "publishedAt": null,
                     *       "scheduledAt": null,
                     *       "status": "DRAFT",
                     *       "thread": [],
                     *       "title": null,
                     *       "updatedAt": "2026-03-01T06:00:00.000Z",
                     *       "waiting": null
                     *     }
                     */
                    "application/json": components["schemas"]["Post"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyInProgressOrInvalidStateOrPublishInProgress"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "list-webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhooks. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "channelIds": null,
                     *           "consecutiveFailures": 0,
                     *           "createdAt": "2026-03-01T06:00:00.000Z",
                     *           "description": null,
                     *           "disabledAt": null,
                     *           "disabledReason": null,
                     *           "events": [
                     *             "post.published",
                     *             "post.failed"
                     *           ],
                     *           "id": "0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71",
                     *           "isActive": true,
                     *           "previousSecretExpiresAt": null,
                     *           "updatedAt": "2026-03-01T06:00:00.000Z",
                     *           "url": "https://hooks.example.com/social"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "create-webhook": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookRequest"];
            };
        };
        responses: {
            /** @description The webhook, including its secret. */
            201: {
                headers: {
                    ETag?: string;
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location?: string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWebhook"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrQuotaExceeded"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyInProgress"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "get-webhook": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook. */
            200: {
                headers: {
                    ETag?: string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "channelIds": null,
                     *       "consecutiveFailures": 0,
                     *       "createdAt": "2026-03-01T06:00:00.000Z",
                     *       "description": null,
                     *       "disabledAt": null,
                     *       "disabledReason": null,
                     *       "events": [
                     *         "post.published",
                     *         "post.failed"
                     *       ],
                     *       "id": "0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71",
                     *       "isActive": true,
                     *       "previousSecretExpiresAt": null,
                     *       "updatedAt": "2026-03-01T06:00:00.000Z",
                     *       "url": "https://hooks.example.com/social"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "delete-webhook": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change (RFC 9110, section 13.1.1). Returns 412 `PRECONDITION_FAILED` and changes nothing if the resource has another version. Omit it, or send `*`, to change any version. */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description ID of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook is deleted. */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "update-webhook": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The `ETag` of the version to change (RFC 9110, section 13.1.1). Returns 412 `PRECONDITION_FAILED` and changes nothing if the resource has another version. Omit it, or send `*`, to change any version. */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description ID of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWebhookRequest"];
            };
        };
        responses: {
            /** @description The changed webhook. */
            200: {
                headers: {
                    ETag?: string;
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyInProgress"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "list-webhook-deliveries": {
        parameters: {
            query?: {
                /** @description Returns only deliveries in this state. */
                status?: components["schemas"]["DeliveryStatusInput"];
                /** @description Returns only deliveries of events of this type; * matches every type. */
                eventType?: components["schemas"]["EventTypeInput"];
                /** @description Maximum number of entries per page. */
                limit?: number;
                /** @description The nextCursor of the previous page, with the same filters and sort. Omit it for the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description ID of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "attemptCount": 1,
                     *           "completedAt": null,
                     *           "createdAt": "2026-03-01T07:00:00.000Z",
                     *           "eventId": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
                     *           "eventType": "post.published",
                     *           "id": "0190a3cc-8279-7ee0-91bb-c08e9d02b1c6",
                     *           "nextAttemptAt": "2026-03-01T07:00:10.000Z",
                     *           "status": "PENDING",
                     *           "webhookId": "0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDeliveryPage"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["InvalidCursorOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "get-webhook-delivery": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the webhook. */
                id: string;
                /** @description ID of the delivery. */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "attemptCount": 1,
                     *       "attempts": [
                     *         {
                     *           "durationMs": 84,
                     *           "error": "status_5xx",
                     *           "n": 1,
                     *           "response": "upstream is down",
                     *           "startedAt": "2026-03-01T07:00:00.000Z",
                     *           "statusCode": 503,
                     *           "trigger": "AUTOMATIC"
                     *         }
                     *       ],
                     *       "completedAt": null,
                     *       "createdAt": "2026-03-01T07:00:00.000Z",
                     *       "eventId": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
                     *       "eventType": "post.published",
                     *       "id": "0190a3cc-8279-7ee0-91bb-c08e9d02b1c6",
                     *       "nextAttemptAt": "2026-03-01T07:00:10.000Z",
                     *       "status": "PENDING",
                     *       "webhookId": "0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDeliveryLog"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "redeliver-webhook-delivery": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description ID of the webhook. */
                id: string;
                /** @description ID of the delivery. */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery before the attempt. */
            202: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "attemptCount": 1,
                     *       "completedAt": null,
                     *       "createdAt": "2026-03-01T07:00:00.000Z",
                     *       "eventId": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
                     *       "eventType": "post.published",
                     *       "id": "0190a3cc-8279-7ee0-91bb-c08e9d02b1c6",
                     *       "nextAttemptAt": "2026-03-01T07:00:10.000Z",
                     *       "status": "PENDING",
                     *       "webhookId": "0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyInProgressOrInvalidState"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "start-webhook-replay": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description ID of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartReplayRequest"];
            };
        };
        responses: {
            /** @description The running replay. */
            202: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location?: string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyInProgressOrInvalidState"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "get-webhook-replay": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the webhook. */
                id: string;
                /** @description ID of the replay. */
                replayId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The replay. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "completedAt": "2026-03-01T07:00:01.000Z",
                     *       "createdAt": "2026-03-01T07:00:00.000Z",
                     *       "id": "0190a3cd-938a-7ff1-82cc-d19fae13c2d7",
                     *       "only": "failed",
                     *       "queued": 42,
                     *       "since": "2026-03-01T00:00:00.000Z",
                     *       "status": "COMPLETED",
                     *       "until": "2026-03-01T06:00:00.000Z",
                     *       "webhookId": "0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "rotate-webhook-secret": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The `ETag` of the version to change (RFC 9110, section 13.1.1). Returns 412 `PRECONDITION_FAILED` and changes nothing if the resource has another version. Omit it, or send `*`, to change any version. */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description ID of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateSecretRequest"];
            };
        };
        responses: {
            /** @description The webhook, including its new secret. */
            200: {
                headers: {
                    ETag?: string;
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWebhook"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyInProgressOrInvalidState"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "test-webhook": {
        parameters: {
            query?: never;
            header?: {
                /** @description A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A repeated request with the same key within 24 hours returns the first successful response, with `Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, path or body. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description ID of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event, which is queued. */
            202: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "createdAt": "2026-03-01T06:00:00.000Z",
                     *       "eventId": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82",
                     *       "type": "webhook.test",
                     *       "webhookId": "0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookTest"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyInProgress"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
    "get-workspace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The workspace. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approvalPolicy": "OPTIONAL",
                     *       "createdAt": "2026-03-01T05:00:00.000Z",
                     *       "grantedScopes": [
                     *         "channels:read",
                     *         "media:write",
                     *         "posts:write",
                     *         "posts:publish",
                     *         "webhooks:manage",
                     *         "analytics:read"
                     *       ],
                     *       "id": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10",
                     *       "mode": "live",
                     *       "name": "Acme Marketing",
                     *       "plan": "GROWTH",
                     *       "timezone": "Europe/Berlin",
                     *       "usage": {
                     *         "linkPages": {
                     *           "limit": 20,
                     *           "used": 1
                     *         },
                     *         "requestsPerMinute": 600,
                     *         "storage": {
                     *           "limitBytes": 107374182400,
                     *           "maxFileBytes": 1073741824,
                     *           "usedBytes": 73400320
                     *         },
                     *         "uploads": {
                     *           "limit": 5000,
                     *           "resetsAt": "2026-04-01T00:00:00.000Z",
                     *           "used": 12
                     *         },
                     *         "webhooks": {
                     *           "limit": 20,
                     *           "used": 2
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Workspace"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            default: components["responses"]["Problem"];
        };
    };
}
